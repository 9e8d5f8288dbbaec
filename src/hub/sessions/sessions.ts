/**
 * Sessions in memory: loaded once on first use, evicted when idle; with their snapshots, redactions and the index of live sessions.
 * State is always the fold of the log, so a session can be loaded again at any time. Notifies one listener. Start here, then
 * live-session.ts and load-session.ts.
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

interface SessionsNeeds extends Ground, Extensions {
  readonly index: LiveIndex;
  readonly waiters: Waiters;
  readonly redactions: Redactions;
}

/** The durable head of a session, loaded or not. */
interface CurrentHead {
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
  private readonly loaded = new Map<string, LiveSession>();
  /** Sessions a sweep must check: recently used or ended ones. The others may be very many and cost nothing. */
  private readonly warm = new Set<LiveSession>();
  /** Callers that wait for each session being loaded, in order. */
  private readonly arriving = new Map<string, ((session: LiveSession | WireError) => void)[]>();

  private registrations = 0;
  /** Sessions found unavailable; their participants are notified when they become available. */
  private readonly lacking = new Set<string>();

  constructor(needs: SessionsNeeds) {
    this.needs = needs;
  }

  /** Set once, before any session is used: the listener's rooms need the sessions. */
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

  /** The session for use now; undefined if not loaded or callers wait for it: then `use` keeps their order. */
  atHand(sessionId: string): LiveSession | undefined {
    const loaded = this.loaded.get(sessionId);
    if (loaded === undefined || this.arriving.has(sessionId)) return undefined;
    this.touch(loaded);
    return loaded;
  }

  /** Runs `work` on the session: now if it is loaded, else after loading, in the order of the calls. */
  use<T>(sessionId: string, work: (session: LiveSession) => Promise<T> | T): Promise<T> {
    const loaded = this.atHand(sessionId);
    if (loaded !== undefined) {
      // Return the promise of the work itself: wrapping it would cost every post three more microtasks.
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

  /** The metadata, once the durable session fulfils `until`. */
  whenIn(sessionId: string, until: (session: SessionMetadata) => boolean): Promise<SessionMetadata> {
    return this.use(sessionId, ({ durable }) => {
      if (durable !== null && until(durable.metadata)) return durable.metadata;
      return this.needs.waiters.wait(sessionId, until);
    });
  }

  /** The durable head, loaded or stored; null if the session does not exist. */
  async currentHead(sessionId: string): Promise<CurrentHead | null> {
    const stored = this.peek(sessionId)?.durable == null ? await this.needs.store.head(sessionId) : null;
    // The session may have been loaded and written to while we waited.
    const loaded = this.peek(sessionId);
    if (loaded?.durable != null) return { head: loaded.durable.head, damaged: loaded.damaged };
    return stored === null ? null : { head: stored.head, damaged: stored.damaged_from !== null };
  }

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

  /** Drops idle sessions: all ended ones, and the least recently used while more than `most` are loaded. */
  evict(most: number): void {
    for (const sessionId of this.loaded.keys()) {
      if (this.loaded.size <= most) break;
      this.release(sessionId);
    }
    for (const session of this.warm) if (hasEnded(session)) this.release(session.sessionId);
  }

  /** Called at every sweep: unused sessions keep only what cannot be read again. */
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

  release(sessionId: string): void {
    const session = this.loaded.get(sessionId);
    if (session === undefined || session.durable === null || !session.idle) return;
    if (this.needs.waiters.has(sessionId)) return;
    session.snapshot(this.needs.limits.snapshotLength);
    this.drop(sessionId);
  }

  /** Loads unavailable sessions again, one by one: the missing extension may be registered now. */
  async reloadUnavailable(): Promise<void> {
    this.registrations += 1;
    this.listener.registered();
    for (const [sessionId, { unavailable, idle }] of this.loaded) {
      if (unavailable !== null && idle) this.drop(sessionId);
    }
    // A failed read is retried on the next use.
    for (const sessionId of [...this.lacking]) await this.use(sessionId, () => {}).catch(() => {});
  }

  private live(loaded: LoadedLog): LiveSession {
    return new LiveSession(this.needs, loaded, this.listener, () => this.drop(loaded.sessionId));
  }

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
    // A missing extension may have been registered during the read.
    const lacked = result instanceof LiveSession && result.unavailable !== null;
    if (lacked && registrations !== this.registrations) result = await this.tryRead(sessionId);
    if (result instanceof LiveSession) this.arrived(result);
    const queue = this.arriving.get(sessionId) ?? [];
    this.arriving.delete(sessionId);
    for (const run of queue) run(result);
  }

  /** Runs before any caller uses the session, so that the announcement comes first. */
  private arrived(session: LiveSession): void {
    const { sessionId, unavailable, damaged } = session;
    this.add(session);
    this.listener.loaded(sessionId, unavailable !== null);
    if (unavailable !== null) {
      if (!damaged) this.lacking.add(sessionId);
    } else if (this.lacking.delete(sessionId) || session.owesTurn) this.announceAvailable(session);
  }

  /** Writes `session.available`, which also tells who holds the turn. */
  private announceAvailable(session: LiveSession): void {
    const { events, log } = this.needs;
    const { sessionId: session_id } = session;
    events.emit('sessionAvailable', { session_id });
    // If this cannot be written nothing else can, and the clients reconnect.
    session.decide(available).catch((thrown: unknown) => {
      log.warn('session.available could not be written', { session_id, error: String(thrown) });
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

/** Announces only ACTIVE sessions: others have no turn. */
function available({ metadata: { state, session_id } }: SessionState): Decision<void> {
  if (state !== 'ACTIVE') return { kind: 'nothing', answer: undefined };
  return { kind: 'append', drafts: [hubDraft(session_id, 'session.available', {})], answer: () => undefined };
}
