/**
 * Sessions in memory: loaded on first use, once, however many ask; evicted when idle. This room owns loaded sessions, their
 * snapshots, redactions, and the index of live sessions. State is always the fold of the log, so a session may be evicted and
 * loaded again at any time. It tells one listener what happens. Start here, then live-session.ts and load-session.ts.
 */

import type { Decision } from '../../core/decisions/decision.ts';
import { asError, WireError } from '../../core/lib/errors.ts';
import { hubDraft } from '../../core/records/session/envelope.ts';
import { isTerminal, type SessionMetadata } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Extensions } from '../extensions/resolve-adapter.ts';
import type { Ground } from '../log/ground.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import type { LiveIndex } from './live-index.ts';
import { LiveSession, type LoadedLog, type SessionListener } from './live-session.ts';
import { loadSession } from './load-session.ts';
import type { Redactions } from './redactions.ts';
import { VisibleLineCounts } from './visible-line-counts.ts';
import type { Waiters } from './waiters.ts';

export interface SessionsNeeds extends Ground, Extensions {
  readonly index: LiveIndex;
  readonly waiters: Waiters;
  readonly redactions: Redactions;
}

/** The durable head of a session, loaded or not. */
export interface CurrentHead {
  readonly head: Head;
  readonly damaged: boolean;
}

const NOBODY: SessionListener = {
  staged() {},
  dropped() {},
  durable() {},
  faulty() {},
  loaded() {},
  registered() {},
  failed() {},
};

export class Sessions {
  private readonly needs: SessionsNeeds;
  private listener: SessionListener = NOBODY;
  /** In the order of use: the first was used longest ago. */
  private readonly loaded = new Map<string, LiveSession>();
  /** Those a sweep has to look at: used not long ago, or ended. The others may be very many, and cost it nothing. */
  private readonly warm = new Set<LiveSession>();
  /** Callers of sessions that are on their way, in the order they came. */
  private readonly arriving = new Map<string, ((session: LiveSession | WireError) => void)[]>();

  private registrations = 0;
  /** Sessions that were found unavailable for want of something; whoever is in them is told when they come alive. */
  private readonly lacking = new Set<string>();

  constructor(needs: SessionsNeeds) {
    this.needs = needs;
  }

  /** Set once, before any session is used: who listens is made of rooms that need the sessions. */
  follow(listener: SessionListener): void {
    this.listener = listener;
  }

  get size(): number {
    return this.loaded.size;
  }

  countUnavailable(): number {
    return [...this.loaded.values()].filter(({ unavailable }) => unavailable !== null).length;
  }

  peek(sessionId: string): LiveSession | undefined {
    return this.loaded.get(sessionId);
  }

  /** To be used now; undefined = it is not in memory, or others wait for it: then `use` takes care of the order. */
  atHand(sessionId: string): LiveSession | undefined {
    const loaded = this.loaded.get(sessionId);
    if (loaded === undefined || this.arriving.has(sessionId)) return undefined;
    this.touch(loaded);
    return loaded;
  }

  /** Runs `work` on the session: now if it is loaded, else when it is, in the order of the calls. Unknown = not_found. */
  use<T>(sessionId: string, work: (session: LiveSession) => Promise<T> | T): Promise<T> {
    const loaded = this.atHand(sessionId);
    if (loaded !== undefined) {
      // The promise of the work itself: one of ours around it would cost every post three more turns of the queue.
      try {
        return Promise.resolve(work(loaded));
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    }
    return new Promise<T>((resolve, reject) => {
      const run = (session: LiveSession | WireError): void => {
        if (session instanceof WireError) return reject(session);
        try {
          resolve(work(session));
        } catch (thrown) {
          reject(thrown);
        }
      };
      const queue = this.arriving.get(sessionId);
      if (queue !== undefined) queue.push(run);
      else {
        this.arriving.set(sessionId, [run]);
        void this.load(sessionId);
      }
    });
  }

  /** The metadata of the session, as soon as it is durably as `until` wants it. */
  whenIn(sessionId: string, until: (session: SessionMetadata) => boolean): Promise<SessionMetadata> {
    return this.use(sessionId, ({ durable }) => {
      if (durable !== null && until(durable.metadata)) return durable.metadata;
      return this.needs.waiters.wait(sessionId, until);
    });
  }

  /** The durable head of a session: that of the loaded one, else what the store has; null = it does not exist. */
  async currentHead(sessionId: string): Promise<CurrentHead | null> {
    const stored = this.peek(sessionId)?.durable == null ? await this.needs.store.head(sessionId) : null;
    // Looked at again after the wait: it may have been loaded, and written to, meanwhile.
    const loaded = this.peek(sessionId);
    if (loaded?.durable != null) return { head: loaded.durable.head, damaged: loaded.damaged };
    return stored === null ? null : { head: stored.head, damaged: stored.damaged_from !== null };
  }

  /** A session that is about to be created, or was loaded. */
  add(session: LiveSession): void {
    this.loaded.set(session.sessionId, session);
    this.warm.add(session);
  }

  drop(sessionId: string): void {
    const session = this.loaded.get(sessionId);
    if (session !== undefined) this.warm.delete(session);
    this.loaded.delete(sessionId);
  }

  makeNew(sessionId: string, adapter: LiveSession['adapter'], watch: LiveSession['watch']): LiveSession {
    const loaded = {
      sessionId,
      epoch: 1,
      adapter,
      watch,
      unavailable: null,
      damaged: false,
      owesTurn: false,
      state: null,
      token: null,
      keys: AcceptedKeys.from([]),
      tally: VisibleLineCounts.empty(this.needs.limits.tallyLength),
      tail: [],
      snapshotSeq: 0,
    };
    return this.live(loaded);
  }

  /** Drops idle sessions: ended ones at once, others when more than `most` are loaded, longest unused first. */
  evict(most: number): void {
    for (const sessionId of this.loaded.keys()) {
      if (this.loaded.size <= most) break;
      this.release(sessionId);
    }
    for (const session of this.warm) if (hasEnded(session)) this.release(session.sessionId);
  }

  /** Called at every sweep: those nobody has used since the last one keep only what cannot be read again. */
  slim(): void {
    for (const session of this.warm) {
      if (!session.used && session.idle) {
        session.rest();
        if (!hasEnded(session)) this.warm.delete(session);
      }
      session.used = false;
      session.touched = false;
    }
  }

  /** Drops one session, unless somebody uses it or waits for it. */
  release(sessionId: string): void {
    const session = this.loaded.get(sessionId);
    if (session === undefined || session.durable === null || !session.idle) return;
    if (this.needs.waiters.has(sessionId)) return;
    session.snapshot(this.needs.limits.snapshotLength);
    this.drop(sessionId);
  }

  /** Sessions that were found unavailable are loaded anew, one by one: what they lacked may be there now. */
  async reloadUnavailable(): Promise<void> {
    this.registrations += 1;
    this.listener.registered();
    for (const [sessionId, { unavailable, idle }] of this.loaded) {
      if (unavailable !== null && idle) this.drop(sessionId);
    }
    // What cannot be read now is tried again by whoever uses it.
    for (const sessionId of [...this.lacking]) await this.use(sessionId, () => {}).catch(() => {});
  }

  private live(loaded: LoadedLog): LiveSession {
    return new LiveSession(this.needs, loaded, this.listener, () => this.drop(loaded.sessionId));
  }

  /** Once between two sweeps is enough to know what was used long ago. */
  private touch(session: LiveSession): void {
    session.used = true;
    if (session.touched) return;
    session.touched = true;
    this.loaded.delete(session.sessionId);
    this.add(session);
  }

  private async load(sessionId: string): Promise<void> {
    const { registrations } = this;
    let result = await this.tryRead(sessionId);
    // What it lacked may have been registered while it was read.
    const lacked = result instanceof LiveSession && result.unavailable !== null;
    if (lacked && registrations !== this.registrations) result = await this.tryRead(sessionId);
    if (result instanceof LiveSession) this.arrived(result);
    const queue = this.arriving.get(sessionId) ?? [];
    this.arriving.delete(sessionId);
    for (const run of queue) run(result);
  }

  /** Before anybody uses it: what they do comes after what is told of it. */
  private arrived(session: LiveSession): void {
    const { sessionId, unavailable, damaged } = session;
    this.add(session);
    this.listener.loaded(sessionId, unavailable !== null);
    if (unavailable !== null) {
      if (!damaged) this.lacking.add(sessionId);
    } else if (this.lacking.delete(sessionId) || session.owesTurn) this.announceAvailable(session);
  }

  /** A session that could not go on can again: its log says so, and with that who has the turn, so that everyone in it learns of it. */
  private announceAvailable(session: LiveSession): void {
    const { events, log } = this.needs;
    const { sessionId: session_id } = session;
    events.emit('sessionAvailable', { session_id });
    // If it cannot be written nothing else can, and its clients begin anew.
    session.decide(available).catch((thrown: unknown) => {
      log.warn('nobody could be told that a session is available again', { session_id, error: String(thrown) });
    });
  }

  private async tryRead(sessionId: string): Promise<LiveSession | WireError> {
    try {
      const loaded = await loadSession(this.needs, sessionId);
      return loaded instanceof WireError ? loaded : this.live(loaded);
    } catch (thrown) {
      return unreadable(sessionId, asError(thrown));
    }
  }
}

function hasEnded({ durable }: LiveSession): boolean {
  return durable !== null && isTerminal(durable.metadata.state);
}

function unreadable(sessionId: string, error: Error): WireError {
  if (error instanceof WireError) return error;
  return new WireError(
    'unavailable',
    `session ${sessionId} cannot be read: ${error.message}`,
    { outcome: 'refused' },
    { cause: error },
  );
}

/** Before it opens there is no turn, and when it closes none is left. */
function available({ metadata: { state, session_id } }: SessionState): Decision<void> {
  if (state !== 'ACTIVE') return { kind: 'nothing', answer: undefined };
  return { kind: 'append', drafts: [hubDraft(session_id, 'session.available', {})], answer: () => undefined };
}
