/** Sessions whose deadline has come are looked at, some at a time: a hub that was down for long finds very many due at once. */

import { deadlineDue } from '../core/ending.ts';
import { isTerminal } from '../core/session.ts';
import { currentHead } from './current-head.ts';
import type { HubParts } from './parts.ts';

/** Enough to fill a flush, no more memory than that many sessions with a page of their logs, and some 50 ms of work. */
const MOST_AT_ONCE = 128;

export class Wakes {
  private readonly parts: HubParts;
  private underWay = 0;
  private untilMs = 0;
  private waiting = false;

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  /** Everything due by `nowMs` is looked at: the first now, the others as these are done, and everyone else in between. */
  run(nowMs: number): void {
    this.untilMs = nowMs;
    this.fill();
  }

  private fill(): void {
    const { index, backlog } = this.parts;
    if (backlog.failed !== null) return;
    for (const sessionId of index.deadlines.takeDue(this.untilMs, MOST_AT_ONCE - this.underWay)) {
      this.underWay += 1;
      void this.wake(sessionId).finally(() => {
        this.underWay -= 1;
        this.fillSoon();
      });
    }
  }

  private fillSoon(): void {
    if (this.waiting) return;
    this.waiting = true;
    this.parts.clock.after(0, () => {
      this.waiting = false;
      this.fill();
    });
  }

  private async wake(sessionId: string): Promise<void> {
    const { index, clock, log } = this.parts;
    // Armed again at once: if the decision cannot be written now, a later sweep asks again.
    const againMs = Math.max(this.untilMs, clock.now()) + 1;
    index.deadlines.set(sessionId, againMs);
    try {
      await this.look(sessionId, againMs);
    } catch (thrown) {
      log.warn('a deadline could not be met', { session_id: sessionId, error: String(thrown) });
    }
  }

  /** A deadline only wakes the session; the decision is made on the state a send would meet. */
  private async look(sessionId: string, againMs: number): Promise<void> {
    const { index, presence, clock, sessions } = this.parts;
    const current = await currentHead(this.parts, sessionId);
    if (current === null || current.damaged || isTerminal(current.head.state)) return index.forget(sessionId);
    const dueMs = presence.lookAtMs(current.head);
    const nowMs = clock.now();
    if (dueMs <= nowMs) {
      await sessions.use(sessionId, (session) =>
        session.decide((state) => deadlineDue(state, nowMs, presence.orphanAtMs(state.head))),
      );
      // Very many may end at once: each leaves memory with its end, not with the next sweep.
      if (index.deadlines.at(sessionId) === undefined) sessions.release(sessionId);
    } else if (index.deadlines.at(sessionId) === againMs) {
      // Else the session moved on while its head was read, and was armed by what it did.
      index.deadlines.set(sessionId, dueMs);
    }
  }
}
