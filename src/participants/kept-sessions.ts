/** What a participant keeps of each session in which it takes turns, for as long as that lasts. */

import type { Session, SessionEnd } from '../client/index.ts';

export interface Kept {
  /** Messages that were answered where nobody has the turn. */
  answers: number;
  /** What the agent calls its own side of it. */
  nativeSessionId: string | undefined;
}

export class KeptSessions {
  private readonly sessions = new Map<string, Kept>();

  of(session: Session): Kept {
    const known = this.sessions.get(session.id);
    if (known !== undefined) return known;
    const kept = { answers: 0, nativeSessionId: undefined };
    this.sessions.set(session.id, kept);
    return kept;
  }

  /** What is kept of a session goes with it, which is told once. */
  watch(session: Session, onEnd: (end: SessionEnd) => void): void {
    if (this.sessions.has(session.id)) return;
    this.of(session);
    session
      .ended()
      .then((end) => {
        this.sessions.delete(session.id);
        onEnd(end);
      })
      // The client is closed, and with it everything.
      .catch(() => {});
  }
}
