/** Keeps the sessions that a client has handles for, by id. */

import type { HubError } from '../core/lib/errors.ts';
import { type ClientHost, LocalSession } from './session/local-session.ts';

/** Above this number of sessions, ended ones are removed. */
const KEPT = 1000;

export class LocalSessions {
  private readonly host: ClientHost;
  private readonly byId = new Map<string, LocalSession>();
  private sweepAt = KEPT;

  constructor(host: ClientHost) {
    this.host = host;
  }

  find(sessionId: string): LocalSession | undefined {
    return this.byId.get(sessionId);
  }

  at(sessionId: string): LocalSession {
    const known = this.byId.get(sessionId);
    if (known !== undefined) return known;
    if (this.byId.size >= this.sweepAt) this.sweep();
    const session = new LocalSession(sessionId, this.host);
    this.byId.set(sessionId, session);
    const closed = this.host.closedError();
    if (closed !== null) session.shut(closed);
    return session;
  }

  /** Call when handlers are added. */
  wake(): void {
    for (const session of this.byId.values()) session.wake();
  }

  shut(why: HubError): void {
    for (const session of this.byId.values()) session.shut(why);
  }

  /** Removes ended sessions. Their handles keep working but are no longer found by id. */
  private sweep(): void {
    for (const [sessionId, session] of this.byId) if (session.isOver) this.byId.delete(sessionId);
    this.sweepAt = Math.max(KEPT, 2 * this.byId.size);
  }
}
