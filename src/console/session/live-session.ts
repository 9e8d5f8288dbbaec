/** Keeps the open session as it is at the hub: the newest part of its log, what is pushed from then on, and its state. */

import type { Envelope, Turn } from '../../core/envelope.ts';
import { WireError } from '../../core/errors.ts';
import type { ForwardedDelta } from '../../core/frames.ts';
import { ask, reasonOf } from '../ask.ts';
import { client } from '../connection/link.ts';
import { store, update } from '../state.ts';
import { firstSeq, lastSeq, readBack, withEarlier, withLater } from './log-window.ts';
import { newSession, type OpenSession, withArrived, withDeltas, withLog, withNewPast } from './open-session.ts';

const PAGE = 200;
/** What was pushed is drawn together, so often. */
const PATCH_MS = 200;
/** The state is read again, at most so often, after something was added. */
const STATE_MS = 1000;
const ASK_MS = 1000;

/** Opens the session and follows it until the function it returns is called. */
export function followSession(id: string): () => void {
  update(() => ({ session: newSession(id) }));
  const following = new Following(id);
  void following.start();
  return () => {
    following.stop();
    update(({ session }) => (session?.id === id ? { session: null } : null));
  };
}

/** Reads what is before the part that is held. */
export async function readEarlier(id: string): Promise<void> {
  const { session } = store.get();
  if (session?.id !== id || !session.log.hasEarlier) return;
  const page = await ask('read_log', {
    session_id: id,
    from_seq: firstSeq(session.log) - 1,
    reverse: true,
    limit: PAGE,
  });
  change(id, (open) => withLog(open, withEarlier(open.log, page)));
}

/** Reads what is behind the part that is held, if that is not the newest. */
export async function readLater(id: string): Promise<void> {
  const { session } = store.get();
  if (session?.id !== id || !session.log.hasLater) return;
  const page = await ask('read_log', { session_id: id, from_seq: lastSeq(session.log) + 1, limit: PAGE });
  change(id, (open) => withLog(open, withLater(open.log, page)));
}

/** Goes to the newest, and stays there. */
export async function readNewest(id: string): Promise<void> {
  change(id, (open) => ({ ...open, isFollowing: true }));
  const { session } = store.get();
  if (session?.id !== id || !session.log.hasLater) return;
  const page = await ask('read_log', { session_id: id, reverse: true, limit: PAGE });
  change(id, (open) => withLog(open, readBack(page, true)));
}

export function setFollowing(id: string, isFollowing: boolean): void {
  change(id, (open) => (open.isFollowing === isFollowing ? open : { ...open, isFollowing }));
}

export function change(id: string, how: (session: OpenSession) => OpenSession): void {
  update(({ session }) => {
    if (session?.id !== id) return null;
    const next = how(session);
    return next === session ? null : { session: next };
  });
}

class Following {
  private readonly id: string;
  private isOver = false;
  private arrived: Envelope[] = [];
  private deltas: ForwardedDelta[] = [];
  private turn: Turn | null | undefined;
  private epoch: number | null = null;
  private patch: ReturnType<typeof setTimeout> | undefined;
  private stateTimer: ReturnType<typeof setTimeout> | undefined;
  private end: () => void = () => {};

  constructor(id: string) {
    this.id = id;
  }

  async start(): Promise<void> {
    const { id } = this;
    try {
      await this.readState();
      const page = await ask('read_log', { session_id: id, reverse: true, limit: PAGE });
      change(id, (open) => withLog(open, readBack(page, true)));
      await this.observe(page.head_seq);
    } catch (thrown) {
      if (!this.isOver) change(id, (open) => ({ ...open, refusal: reasonOf(thrown) }));
    }
  }

  stop(): void {
    this.isOver = true;
    clearTimeout(this.patch);
    clearTimeout(this.stateTimer);
    this.end();
  }

  private async observe(afterSeq: number): Promise<void> {
    if (this.isOver) return;
    try {
      const observation = await client().observe(this.id, (envelope, at) => this.receive(envelope, at), {
        afterSeq,
        onDelta: (delta) => this.show(delta),
      });
      this.end = () => observation.stop();
      if (this.isOver) return this.end();
      void observation.ended.then((end) => {
        if (end.by === 'refusal') change(this.id, (open) => ({ ...open, refusal: end.error.message }));
      });
      change(this.id, (open) => ({ ...open, by: 'stream' }));
    } catch (thrown) {
      if (!(thrown instanceof WireError) || thrown.code !== 'forbidden') throw thrown;
      change(this.id, (open) => ({ ...open, by: 'asking' }));
      await this.askOn();
    }
  }

  /** A participant without the grant to observe reads what is for it. */
  private async askOn(): Promise<void> {
    while (!this.isOver) {
      await new Promise((resolve) => {
        this.patch = setTimeout(resolve, ASK_MS);
      });
      const { session } = store.get();
      if (this.isOver || document.hidden || session?.id !== this.id) continue;
      const from_seq = Math.max(lastSeq(session.log), session.log.headSeq) + 1;
      const page = await ask('read_log', { session_id: this.id, from_seq, limit: PAGE });
      if (page.envelopes.length === 0) continue;
      change(this.id, (open) => withArrived(open, page.envelopes, undefined));
      await this.readState();
    }
  }

  private receive(envelope: Envelope, { turn, epoch }: { turn: Turn | null; epoch: number }): void {
    if (this.epoch !== null && this.epoch !== epoch) change(this.id, withNewPast);
    this.epoch = epoch;
    this.turn = turn;
    this.arrived.push(envelope);
    this.patchLater();
    this.stateTimer ??= setTimeout(() => {
      this.stateTimer = undefined;
      void this.readState().catch(() => {});
    }, STATE_MS);
  }

  private show(delta: ForwardedDelta): void {
    this.deltas.push(delta);
    this.patchLater();
  }

  private patchLater(): void {
    this.patch ??= setTimeout(() => {
      this.patch = undefined;
      const { arrived, deltas, turn } = this;
      this.arrived = [];
      this.deltas = [];
      change(this.id, (open) => withArrived(deltas.length === 0 ? open : withDeltas(open, deltas), arrived, turn));
    }, PATCH_MS);
  }

  private async readState(): Promise<void> {
    const now = await ask('read_state', { session_id: this.id });
    change(this.id, (open) => ({ ...open, now, turn: now.turn }));
  }
}
