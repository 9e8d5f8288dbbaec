/** Keeps operations that wait for a session state: resolved when it is durable, rejected when the hub stops. */

import { WireError } from '../../core/lib/errors.ts';
import type { SessionMetadata } from '../../core/records/session/session.ts';

interface Waiter {
  until(session: SessionMetadata): boolean;
  resolve(session: SessionMetadata): void;
  reject(error: WireError): void;
}

export class Waiters {
  private readonly bySession = new Map<string, Set<Waiter>>();

  has(sessionId: string): boolean {
    return this.bySession.has(sessionId);
  }

  wait(sessionId: string, until: (session: SessionMetadata) => boolean): Promise<SessionMetadata> {
    return new Promise((resolve, reject) => {
      const waiters = this.bySession.get(sessionId) ?? new Set();
      waiters.add({ until, resolve, reject });
      this.bySession.set(sessionId, waiters);
    });
  }

  wake(session: SessionMetadata): void {
    const waiters = this.bySession.get(session.session_id);
    if (waiters === undefined) return;
    for (const waiter of [...waiters]) {
      if (!waiter.until(session)) continue;
      waiters.delete(waiter);
      waiter.resolve(session);
    }
    if (waiters.size === 0) this.bySession.delete(session.session_id);
  }

  stop(reason: string): void {
    const error = new WireError('unavailable', reason, { outcome: 'unknown' });
    for (const waiters of this.bySession.values()) for (const waiter of waiters) waiter.reject(error);
    this.bySession.clear();
  }
}
