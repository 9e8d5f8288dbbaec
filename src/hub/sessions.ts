/** The sessions in memory: loaded on first touch, once, however many ask; evicted when idle. */

import { noSuchSession } from '../core/admit.ts';
import type { Entry } from '../core/envelope.ts';
import { asError, WireError } from '../core/errors.ts';
import { type KeyRecord, rememberKey } from '../core/keys.ts';
import { isTerminal } from '../core/session.ts';
import { foldEnvelope, type SessionState } from '../core/state.ts';
import type { StoredHead } from '../core/store.ts';
import { type DurableSink, LiveSession } from './live-session.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './read-pages.ts';

export class Sessions {
  private readonly parts: HubParts;
  private readonly sink: DurableSink;
  /** In the order of use: the first was used longest ago. */
  private readonly loaded = new Map<string, LiveSession>();
  /** Callers of sessions that are on their way, in the order they came. */
  private readonly arriving = new Map<string, ((session: LiveSession | WireError) => void)[]>();

  private registrations = 0;

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

  /** Runs `work` on the session: now if it is loaded, else when it is, in the order of the calls. Unknown = not_found. */
  use<T>(sessionId: string, work: (session: LiveSession) => Promise<T> | T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (session: LiveSession | WireError): void => {
        if (session instanceof WireError) return reject(session);
        try {
          resolve(work(session));
        } catch (thrown) {
          reject(thrown);
        }
      };
      const session = this.loaded.get(sessionId);
      const queue = this.arriving.get(sessionId);
      if (queue !== undefined) queue.push(run);
      else if (session !== undefined) {
        this.touch(session);
        run(session);
      } else {
        this.arriving.set(sessionId, [run]);
        void this.load(sessionId);
      }
    });
  }

  /** A session that is about to be created. */
  add(session: LiveSession): void {
    this.loaded.set(session.sessionId, session);
  }

  drop(sessionId: string): void {
    this.loaded.delete(sessionId);
  }

  makeNew(sessionId: string, adapter: LiveSession['adapter']): LiveSession {
    const loaded = {
      sessionId,
      epoch: 1,
      adapter,
      unavailable: null,
      state: null,
      token: null,
      keys: new Map(),
      tail: [],
    };
    return new LiveSession(this.parts, loaded, this.sink);
  }

  /** Drops idle sessions: ended ones at once, others when more than `most` are loaded, longest unused first. */
  evict(most: number): void {
    for (const [sessionId, session] of this.loaded) {
      const durable = session.durable;
      if (durable === null || !session.idle || this.parts.waiters.has(sessionId)) continue;
      if (isTerminal(durable.metadata.state) || this.loaded.size > most) this.loaded.delete(sessionId);
    }
  }

  /** Unavailable sessions are loaded anew on their next use: what they lacked may be there now. */
  forgetUnavailable(): void {
    this.registrations += 1;
    for (const [sessionId, { unavailable, idle }] of this.loaded) {
      if (unavailable !== null && idle) this.loaded.delete(sessionId);
    }
  }

  private touch(session: LiveSession): void {
    this.loaded.delete(session.sessionId);
    this.loaded.set(session.sessionId, session);
  }

  private async load(sessionId: string): Promise<void> {
    const { registrations } = this;
    let result = await this.tryRead(sessionId);
    // What it lacked may have been registered while it was read.
    const lacked = result instanceof LiveSession && result.unavailable !== null;
    if (lacked && registrations !== this.registrations) result = await this.tryRead(sessionId);
    if (result instanceof LiveSession) this.loaded.set(sessionId, result);
    const queue = this.arriving.get(sessionId) ?? [];
    this.arriving.delete(sessionId);
    for (const run of queue) run(result);
  }

  private tryRead(sessionId: string): Promise<LiveSession | WireError> {
    return this.read(sessionId).catch((thrown: unknown) => unreadable(sessionId, asError(thrown)));
  }

  private async read(sessionId: string): Promise<LiveSession | WireError> {
    const stored = await this.parts.store.head(sessionId);
    if (stored === null) return noSuchSession(sessionId);
    const adapter = this.parts.adapters.find(stored.head.type, stored.head.version);
    if (adapter === null) {
      const { type, version } = stored.head;
      return this.unavailable(stored, `adapter ${type} version ${version} is not registered`);
    }
    try {
      return this.assemble(stored, adapter, null, await this.replay(stored, adapter));
    } catch (thrown) {
      if (!(thrown instanceof FoldError)) throw thrown;
      return this.unavailable(stored, `folding its log failed: ${thrown.message}`);
    }
  }

  /** Without its adapter a session can still be read, expire and be closed. */
  private async unavailable(stored: StoredHead, reason: string): Promise<LiveSession> {
    this.parts.events.emit('sessionUnavailable', { session_id: stored.head.session_id, reason });
    return this.assemble(stored, null, reason, await this.replay(stored, null));
  }

  private assemble(
    { head, token, epoch }: StoredHead,
    adapter: LiveSession['adapter'],
    unavailable: string | null,
    { state, keys, tail }: Replayed,
  ): LiveSession {
    const loaded = { sessionId: head.session_id, epoch, adapter, unavailable, state, token, keys, tail };
    return new LiveSession(this.parts, loaded, this.sink);
  }

  private async replay({ head, epoch }: StoredHead, adapter: LiveSession['adapter']): Promise<Replayed> {
    const keys = new Map<string, KeyRecord>();
    let state: SessionState | null = null;
    let tail: Entry[] = [];
    for await (const entries of logPages(this.parts.store, head.session_id, 1, head.seq)) {
      for (const { envelope } of entries) {
        state = foldSafely(state, envelope, { adapter, epoch });
        rememberKey(keys, envelope);
      }
      tail = [...tail, ...entries].slice(-this.parts.limits.tailLength);
    }
    this.parts.stamper.observe(head.envelope_id);
    return { state, keys, tail };
  }
}

interface Replayed {
  readonly state: SessionState | null;
  readonly keys: Map<string, KeyRecord>;
  readonly tail: readonly Entry[];
}

class FoldError extends Error {}

function foldSafely(...[state, envelope, context]: Parameters<typeof foldEnvelope>): SessionState {
  try {
    return foldEnvelope(state, envelope, context);
  } catch (thrown) {
    throw new FoldError(`seq ${envelope.seq}: ${asError(thrown).message}`, { cause: thrown });
  }
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
