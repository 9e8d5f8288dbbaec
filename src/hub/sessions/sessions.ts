/** The sessions in memory: loaded on first touch, once, however many ask; evicted when idle. */

import { asError, WireError } from '../../core/lib/errors.ts';
import { isTerminal, type SessionMetadata } from '../../core/records/session/session.ts';
import { AcceptedKeys } from '../accepted-keys.ts';
import { type DurableSink, LiveSession } from './live-session.ts';
import { loadSession } from './load-session.ts';
import type { HubParts } from '../parts.ts';
import { Tally } from './visible-line-counts.ts';
import { tellAvailable } from '../tell-available.ts';

export class Sessions {
  private readonly parts: HubParts;
  private readonly sink: DurableSink;
  /** In the order of use: the first was used longest ago. */
  private readonly loaded = new Map<string, LiveSession>();
  /** Those a sweep has to look at: used not long ago, or ended. The others may be very many, and cost it nothing. */
  private readonly warm = new Set<LiveSession>();
  /** Callers of sessions that are on their way, in the order they came. */
  private readonly arriving = new Map<string, ((session: LiveSession | WireError) => void)[]>();

  private registrations = 0;
  /** Sessions that were found unavailable for want of something; whoever is in them is told when they come alive. */
  private readonly lacking = new Set<string>();

  constructor(parts: HubParts, sink: DurableSink) {
    this.parts = parts;
    this.sink = sink;
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
      return this.parts.waiters.wait(sessionId, until);
    });
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
      tally: Tally.empty(this.parts.limits.tallyLength),
      tail: [],
      snapshotSeq: 0,
    };
    return new LiveSession(this.parts, loaded, this.sink);
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
    if (this.parts.waiters.has(sessionId)) return;
    session.snapshot(this.parts.limits.snapshotLength);
    this.drop(sessionId);
  }

  /** Sessions that were found unavailable are loaded anew, one by one: what they lacked may be there now. */
  async reviveLacking(): Promise<void> {
    const { grace, index, clock } = this.parts;
    this.registrations += 1;
    for (const sessionId of grace.mayBeBack()) index.sooner(sessionId, clock.now());
    for (const [sessionId, { unavailable, idle }] of this.loaded) {
      if (unavailable !== null && idle) this.drop(sessionId);
    }
    // What cannot be read now is tried again by whoever uses it.
    for (const sessionId of [...this.lacking]) await this.use(sessionId, () => {}).catch(() => {});
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
    this.parts.grace.loaded(sessionId, unavailable !== null);
    if (unavailable !== null) {
      if (!damaged) this.lacking.add(sessionId);
    } else if (this.lacking.delete(sessionId) || session.owesTurn) tellAvailable(this.parts, session);
  }

  private async tryRead(sessionId: string): Promise<LiveSession | WireError> {
    try {
      const loaded = await loadSession(this.parts, sessionId);
      return loaded instanceof WireError ? loaded : new LiveSession(this.parts, loaded, this.sink);
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
