/** Sessions whose deadline has come are looked at, some at a time: a hub that was down for long finds very many due at once. */

import { deadlineDue } from '../../core/decisions/end-session.ts';
import type { Head } from '../../core/state/fold-head.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import { currentHead } from '../current-head.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { HubParts } from '../parts.ts';

/** Enough to fill a flush, no more memory than that many sessions with a page of their logs, and some 50 ms of work. */
const MOST_AT_ONCE = 128;

export class Wakes {
  private readonly parts: HubParts;
  private underWay = 0;
  private untilMs = 0;
  private waiting = false;
  /** Due, and left alone for a while: until when, in monotonic time, since the wall clock may be set meanwhile. */
  private readonly putOff = new Map<string, number>();
  private firstPutOff = Number.POSITIVE_INFINITY;

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  /** Everything due by `nowMs` is looked at: the first now, the others as these are done, and everyone else in between. */
  run(nowMs: number): void {
    this.untilMs = nowMs;
    this.parts.grace.check();
    this.bringBack(nowMs);
    this.fill();
  }

  private bringBack(nowMs: number): void {
    const now = this.parts.clock.monotonic();
    if (now < this.firstPutOff) return;
    this.firstPutOff = Number.POSITIVE_INFINITY;
    for (const [sessionId, until] of this.putOff) {
      if (until > now) this.firstPutOff = Math.min(this.firstPutOff, until);
      else {
        this.putOff.delete(sessionId);
        this.parts.index.sooner(sessionId, nowMs);
      }
    }
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
    if (current === null || current.damaged || isTerminal(current.head.state)) return this.forget(sessionId);
    // Reading took its time: the clock may have jumped meanwhile.
    this.parts.grace.check();
    const nowMs = clock.now();
    let nextMs = presence.lookAtMs(current.head);
    if (nextMs <= nowMs) {
      this.parts.meter.lateMs.observe(nowMs - nextMs);
      nextMs = await sessions.use(sessionId, (session) => this.settle(session, current.head, nowMs));
      // Very many may end at once: each leaves memory with its end, not with the next sweep.
      if (index.deadlines.at(sessionId) === undefined) this.leave(sessionId);
    }
    // Else the session moved on meanwhile, and was armed by what it did.
    if (index.deadlines.at(sessionId) === againMs && nextMs > againMs) index.deadlines.set(sessionId, nextMs);
    const { due_at } = sessions.peek(sessionId)?.durable?.head ?? current.head;
    if (due_at != null && due_at < nextMs) this.later(sessionId, nextMs - nowMs);
  }

  /** A look too many changes nothing. */
  private later(sessionId: string, ms: number): void {
    const until = this.parts.clock.monotonic() + Math.max(0, ms);
    this.putOff.set(sessionId, until);
    this.firstPutOff = Math.min(this.firstPutOff, until);
  }

  /** What was due first comes first: an end leaves nothing to expect, and an expectation may be the end. Says when to look again. */
  private async settle(session: LiveSession, head: Head, nowMs: number): Promise<number> {
    const { presence, watching } = this.parts;
    const lifecycleMs = presence.lifecycleAtMs(head);
    const end = async (): Promise<unknown> =>
      lifecycleMs <= nowMs
        ? session.decide((state) => deadlineDue(state, nowMs, presence.orphanAtMs(state.head)))
        : undefined;
    const expectedFirst = (head.due_at ?? Number.POSITIVE_INFINITY) <= lifecycleMs;
    // Both are asked for now, and what was asked first is judged first.
    const ended = expectedFirst ? null : end();
    const fired = watching.fire(session, nowMs);
    const [nextMs] = await Promise.all([fired, ended ?? end()]);
    const after = session.durable === null ? lifecycleMs : presence.lifecycleAtMs(session.durable.head);
    return nextMs === null ? after : Math.min(after, nextMs);
  }

  private leave(sessionId: string): void {
    this.forget(sessionId);
    this.parts.sessions.release(sessionId);
  }

  private forget(sessionId: string): void {
    this.putOff.delete(sessionId);
    this.parts.index.forget(sessionId);
    this.parts.watching.forget(sessionId);
    this.parts.grace.forget(sessionId);
  }
}
