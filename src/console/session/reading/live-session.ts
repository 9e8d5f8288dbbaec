/** Keeps the open session current: reads its state and newest log page, then adds what the hub pushes. */

import { WireError } from '../../../core/lib/errors.ts';
import type { ForwardedDelta } from '../../../core/protocol/frames/frames.ts';
import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
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

const PAGE = 200;
/** Pushed envelopes are drawn in batches, at this interval. */
const PATCH_MS = 200;
/** Minimum time between two reads of the state after new envelopes. */
const STATE_MS = 1000;
const POLL_MS = 1000;
/** Interval of additional reads of the state: nothing else announces a redaction. */
const CHECK_MS = 2000;

/** Opens the session and follows it. Returns the function that stops it. */
export function followSession(id: string): () => void {
  update(() => ({ session: newSession(id) }));
  const follower = new Follower(id);
  void follower.start();
  return () => {
    follower.stop();
    update(({ session }) => (session?.id === id ? { session: null } : null));
  };
}

/** Reads a page of the log; with the observe grant, including envelopes addressed to others. */
export function readLog(params: Params<'read_log'>): Promise<Result<'read_log'>> {
  return callRead('read_log', { ...params, ...(mayObserve() ? { all: true } : {}) });
}

/** Reads the page before the loaded part of the log. */
export async function readEarlier(id: string): Promise<void> {
  const { session } = store.get();
  if (session?.id !== id || !session.log.hasEarlier) return;
  const first = firstSeq(session.log);
  const page = await readLog({ session_id: id, from_seq: first - 1, reverse: true, limit: PAGE });
  // Drop the page if another part has been loaded meanwhile.
  change(id, (open) => (firstSeq(open.log) === first ? withLog(open, withEarlier(open.log, page)) : open));
}

/** Reads the page after the loaded part of the log, if there is one. */
export async function readLater(id: string): Promise<void> {
  const { session } = store.get();
  if (session?.id !== id || !session.log.hasLater) return;
  const last = lastSeq(session.log);
  const page = await readLog({ session_id: id, from_seq: last + 1, limit: PAGE });
  change(id, (open) =>
    open.log.hasLater && lastSeq(open.log) === last ? withLog(open, withLater(open.log, page)) : open,
  );
}

/** Loads the newest envelopes and follows new ones. */
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

class Follower {
  private readonly id: string;
  private isStopped = false;
  private arrived: Envelope[] = [];
  private deltas: ForwardedDelta[] = [];
  private turn: Turn | null | undefined;
  private epoch: number | null = null;
  private patch: ReturnType<typeof setTimeout> | undefined;
  private polling: ReturnType<typeof setTimeout> | undefined;
  private stateTimer: ReturnType<typeof setTimeout> | undefined;
  private checks: ReturnType<typeof setInterval> | undefined;
  private isChecking = false;
  private checkedAt = 0;
  /** The last seq read by polling. Reads of other parts of the log do not change it. */
  private readTo = 0;
  private end: () => void = () => {};

  constructor(id: string) {
    this.id = id;
  }

  async start(): Promise<void> {
    this.checks = setInterval(() => this.check(), CHECK_MS);
    try {
      await this.readState();
      const page = await this.readNewestPage();
      await this.observe(page.head_seq);
    } catch (thrown) {
      if (!this.isStopped) change(this.id, (open) => ({ ...open, refusal: reasonOf(thrown) }));
    }
  }

  private async readNewestPage(): Promise<ReadPage> {
    const page = await readLog({ session_id: this.id, reverse: true, limit: PAGE });
    this.readTo = page.head_seq;
    change(this.id, (open) => withLog(open, withNewest(open.log, page)));
    return page;
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.patch);
    clearTimeout(this.polling);
    clearTimeout(this.stateTimer);
    clearInterval(this.checks);
    this.end();
  }

  private async observe(afterSeq: number): Promise<void> {
    if (this.isStopped) return;
    if (!mayObserve()) return this.poll();
    try {
      const observation = await client().observe(this.id, (envelope, at) => this.receive(envelope, at), {
        afterSeq,
        onDelta: (delta) => this.show(delta),
      });
      this.end = () => observation.stop();
      if (this.isStopped) return this.end();
      void observation.ended.then((end) => {
        if (end.by !== 'refusal') return;
        if (isForbidden(end.error)) loadGrants();
        change(this.id, (open) => ({ ...open, refusal: end.error.message }));
      });
      change(this.id, (open) => ({ ...open, by: 'stream' }));
    } catch (thrown) {
      if (!(thrown instanceof WireError) || thrown.code !== 'forbidden') throw thrown;
      await this.poll();
    }
  }

  /** Polls for envelopes without the observe grant: after every push to the participant, and regularly. */
  private async poll(): Promise<void> {
    change(this.id, (open) => ({ ...open, by: 'asking' }));
    let wake = (): void => {};
    this.end = onPush(this.id, { onEnvelope: () => wake(), onDelta: (delta) => this.show(delta) });
    while (!this.isStopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        this.polling = setTimeout(resolve, POLL_MS);
      });
      clearTimeout(this.polling);
      if (!this.isStopped && !document.hidden) await this.pollOnce().catch((thrown) => this.refused(thrown));
    }
  }

  private async pollOnce(): Promise<void> {
    const { session } = store.get();
    if (session?.id !== this.id) return;
    const page = await readLog({ session_id: this.id, from_seq: this.readTo + 1, limit: PAGE });
    this.readTo = page.next === null ? page.head_seq : page.next - 1;
    if (page.envelopes.length === 0) return;
    change(this.id, (open) => withArrived(open, page.envelopes, undefined));
    await this.readState();
  }

  /** Stops polling only if the hub forbids it. Other errors are retried, and the connection bar shows them. */
  private refused(thrown: unknown): void {
    if (this.isStopped || !isForbidden(thrown)) return;
    this.isStopped = true;
    change(this.id, (open) => ({ ...open, refusal: reasonOf(thrown) }));
  }

  private receive(envelope: Envelope, { turn, epoch }: { turn: Turn | null; epoch: number }): void {
    if (this.epoch !== null && this.epoch !== epoch) change(this.id, resetLog);
    this.epoch = epoch;
    this.turn = turn;
    this.arrived.push(envelope);
    this.patchLater();
    const waitMs = Math.max(PATCH_MS, this.checkedAt + STATE_MS - performance.now());
    this.stateTimer ??= setTimeout(() => {
      this.stateTimer = undefined;
      this.check();
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

  /** Reads the state, unless a read is pending. The next check retries a failed read. */
  private check(): void {
    if (this.isChecking || document.hidden || store.get().session?.now == null) return;
    this.isChecking = true;
    this.readState()
      .catch(() => {})
      .finally(() => {
        this.isChecking = false;
      });
  }

  private async readState(): Promise<void> {
    this.checkedAt = performance.now();
    const before = store.get().session?.now;
    const now = await callRead('read_state', { session_id: this.id });
    if (this.isStopped) return;
    if (before != null && before.session.epoch !== now.session.epoch) {
      // The epoch has changed: the hub was restored, and its history was rewritten.
      change(this.id, resetLog);
      await this.readNewestPage();
    } else if (before != null && before.redactions !== now.redactions) await this.readAgain();
    change(this.id, (open) => withState(open, now, Date.now()));
  }

  /** After a redaction, reads and folds the loaded part again. */
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
