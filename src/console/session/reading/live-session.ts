/** Keeps the open session as it is at the hub: the newest part of its log, what is pushed from then on, and its state. */

import { WireError } from '../../../core/lib/errors.ts';
import type { ForwardedDelta } from '../../../core/protocol/frames/frames.ts';
import type { Envelope, Turn } from '../../../core/records/session/envelope.ts';
import { client } from '../../connection/current-client.ts';
import { isForbidden, loadGrants, mayObserve } from '../../connection/grants.ts';
import { onPush } from '../../connection/push-listeners.ts';
import { callRead, reasonOf } from '../../connection/read-operations.ts';
import { store, update } from '../../state/console-state.ts';
import {
  firstSeq,
  lastSeq,
  type ReadPage,
  withEarlier,
  withLater,
  withNewest,
  withRedacted,
} from '../../state/session/log-window.ts';
import {
  newSession,
  type OpenSession,
  resetLog,
  withArrived,
  withDeltas,
  withLog,
  withState,
} from '../../state/session/open-session.ts';
import { readLog } from './read-log.ts';

const PAGE = 200;
/** What was pushed is drawn together, so often. */
const PATCH_MS = 200;
/** The state is read again, at most so often, after something was added. */
const STATE_MS = 1000;
const ASK_MS = 1000;
/** And so often if nothing is: what was redacted is told by nothing else. */
const LOOK_MS = 2000;

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
  const first = firstSeq(session.log);
  const page = await readLog({ session_id: id, from_seq: first - 1, reverse: true, limit: PAGE });
  // Another part is held now: what is before the one of then is not before this one.
  change(id, (open) => (firstSeq(open.log) === first ? withLog(open, withEarlier(open.log, page)) : open));
}

/** Reads what is behind the part that is held, if that is not the newest. */
export async function readLater(id: string): Promise<void> {
  const { session } = store.get();
  if (session?.id !== id || !session.log.hasLater) return;
  const last = lastSeq(session.log);
  const page = await readLog({ session_id: id, from_seq: last + 1, limit: PAGE });
  change(id, (open) =>
    open.log.hasLater && lastSeq(open.log) === last ? withLog(open, withLater(open.log, page)) : open,
  );
}

/** Goes to the newest, and stays there. */
export async function readNewest(id: string): Promise<void> {
  change(id, (open) => ({ ...open, isFollowing: true }));
  for (let { session } = store.get(); session?.id === id && session.log.hasLater; { session } = store.get()) {
    const page = await readLog({ session_id: id, reverse: true, limit: PAGE });
    change(id, (open) => withLog(open, withNewest(open.log, page)));
  }
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
  private asking: ReturnType<typeof setTimeout> | undefined;
  private stateTimer: ReturnType<typeof setTimeout> | undefined;
  private looks: ReturnType<typeof setInterval> | undefined;
  private isLooking = false;
  private lookedAt = 0;
  /** Up to here was asked for what is new, where it is not pushed: what else is read is of other parts. */
  private readTo = 0;
  private end: () => void = () => {};

  constructor(id: string) {
    this.id = id;
  }

  async start(): Promise<void> {
    const { id } = this;
    this.looks = setInterval(() => this.look(), LOOK_MS);
    try {
      await this.readState();
      const page = await this.readNewestPage();
      await this.observe(page.head_seq);
    } catch (thrown) {
      if (!this.isOver) change(id, (open) => ({ ...open, refusal: reasonOf(thrown) }));
    }
  }

  private async readNewestPage(): Promise<ReadPage> {
    const page = await readLog({ session_id: this.id, reverse: true, limit: PAGE });
    this.readTo = page.head_seq;
    change(this.id, (open) => withLog(open, withNewest(open.log, page)));
    return page;
  }

  stop(): void {
    this.isOver = true;
    clearTimeout(this.patch);
    clearTimeout(this.asking);
    clearTimeout(this.stateTimer);
    clearInterval(this.looks);
    this.end();
  }

  private async observe(afterSeq: number): Promise<void> {
    if (this.isOver) return;
    if (!mayObserve()) return this.askOn();
    try {
      const observation = await client().observe(this.id, (envelope, at) => this.receive(envelope, at), {
        afterSeq,
        onDelta: (delta) => this.show(delta),
      });
      this.end = () => observation.stop();
      if (this.isOver) return this.end();
      void observation.ended.then((end) => {
        if (end.by !== 'refusal') return;
        if (isForbidden(end.error)) loadGrants();
        change(this.id, (open) => ({ ...open, refusal: end.error.message }));
      });
      change(this.id, (open) => ({ ...open, by: 'stream' }));
    } catch (thrown) {
      if (!(thrown instanceof WireError) || thrown.code !== 'forbidden') throw thrown;
      await this.askOn();
    }
  }

  /** A participant without the grant to observe reads what is for it: when it is told of something, and now and then. */
  private async askOn(): Promise<void> {
    change(this.id, (open) => ({ ...open, by: 'asking' }));
    let wake = (): void => {};
    this.end = onPush(this.id, { heard: () => wake(), shown: (delta) => this.show(delta) });
    while (!this.isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        this.asking = setTimeout(resolve, ASK_MS);
      });
      clearTimeout(this.asking);
      if (!this.isOver && !document.hidden) await this.askOnce().catch((thrown) => this.refused(thrown));
    }
  }

  private async askOnce(): Promise<void> {
    const { session } = store.get();
    if (session?.id !== this.id) return;
    const page = await readLog({ session_id: this.id, from_seq: this.readTo + 1, limit: PAGE });
    this.readTo = page.next === null ? page.head_seq : page.next - 1;
    if (page.envelopes.length === 0) return;
    change(this.id, (open) => withArrived(open, page.envelopes, undefined));
    await this.readState();
  }

  /** What the hub forbids stays forbidden; whatever else went wrong is tried again, and told by the connection. */
  private refused(thrown: unknown): void {
    if (this.isOver || !isForbidden(thrown)) return;
    this.isOver = true;
    change(this.id, (open) => ({ ...open, refusal: reasonOf(thrown) }));
  }

  private receive(envelope: Envelope, { turn, epoch }: { turn: Turn | null; epoch: number }): void {
    if (this.epoch !== null && this.epoch !== epoch) change(this.id, resetLog);
    this.epoch = epoch;
    this.turn = turn;
    this.arrived.push(envelope);
    this.patchLater();
    const waitMs = Math.max(PATCH_MS, this.lookedAt + STATE_MS - performance.now());
    this.stateTimer ??= setTimeout(() => {
      this.stateTimer = undefined;
      this.look();
    }, waitMs);
  }

  private show(delta: ForwardedDelta): void {
    this.deltas.push(delta);
    this.patchLater();
  }

  private patchLater(): void {
    this.patch ??= setTimeout(() => {
      this.patch = undefined;
      this.patchNow();
    }, PATCH_MS);
  }

  private patchNow(): void {
    const { arrived, deltas, turn } = this;
    this.arrived = [];
    this.deltas = [];
    change(this.id, (open) =>
      withArrived(deltas.length === 0 ? open : withDeltas(open, deltas, Date.now()), arrived, turn),
    );
  }

  /** One look at a time; what fails is tried by the next. */
  private look(): void {
    if (this.isLooking || document.hidden || store.get().session?.now == null) return;
    this.isLooking = true;
    this.readState()
      .catch(() => {})
      .finally(() => {
        this.isLooking = false;
      });
  }

  private async readState(): Promise<void> {
    this.lookedAt = performance.now();
    const before = store.get().session?.now;
    const now = await callRead('read_state', { session_id: this.id });
    if (this.isOver) return;
    if (before != null && before.session.epoch !== now.session.epoch) await this.readNewPast();
    else if (before != null && before.redactions !== now.redactions) await this.readAgain();
    change(this.id, (open) => withState(open, now, Date.now()));
  }

  /** The hub has another past than what is shown: it was restored, and goes on from there. */
  private async readNewPast(): Promise<void> {
    change(this.id, resetLog);
    await this.readNewestPage();
  }

  /** Something was redacted: what is held is read again, and what was folded from it is folded again. */
  private async readAgain(): Promise<void> {
    this.patchNow();
    change(this.id, (open) => ({ ...open, whole: null }));
    const { session } = store.get();
    if (session?.id !== this.id) return;
    const last = lastSeq(session.log);
    for (let from: number | null = firstSeq(session.log); from !== null && from <= last; ) {
      const page: ReadPage = await readLog({ session_id: this.id, from_seq: from, limit: PAGE });
      change(this.id, (open) => ({ ...open, log: withRedacted(open.log, page.envelopes) }));
      from = page.next;
    }
  }
}
