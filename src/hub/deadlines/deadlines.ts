/**
 * Deadlines: what time brings to sessions. Checks each session whose deadline has come, some at a time, since a hub that was down
 * for long finds very many due at once. Owns the grace after a downtime and the failures of expectations. A deadline only wakes a
 * session; the decision is made on the state a post would meet. Start reading at `run`.
 */

import { applyDueDeadline } from '../../core/decisions/end-session.ts';
import { msFromIso } from '../../core/lib/time.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import { isTerminal } from '../../core/records/session/session.ts';
import type { Head } from '../../core/records/session/unit.ts';
import { lifecycleDeadline } from '../../core/state/fold-head.ts';
import type { Bindings } from '../bindings/bindings.ts';
import type { Ground } from '../log/ground.ts';
import type { LiveIndex } from '../sessions/live-index.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { ExpectationMonitor } from './expectation-monitor.ts';
import { Grace } from './grace.ts';

export interface DeadlinesNeeds extends Ground {
  readonly bindings: Pick<Bindings, 'isBound' | 'presence'>;
  readonly index: LiveIndex;
  readonly sessions: Sessions;
}

/** Enough to fill a flush, no more memory than that many sessions with a page of their logs, and some 50 ms of work. */
const MAX_CONCURRENT = 128;

export class Deadlines {
  readonly grace: Grace;
  readonly watching: ExpectationMonitor;
  readonly due: NextCheck;
  private readonly needs: DeadlinesNeeds;
  private underWay = 0;
  private untilMs = 0;
  private waiting = false;
  /** Due, and left alone for a while: until when, in monotonic time, since the wall clock may be set meanwhile. */
  private readonly postponed = new Map<string, number>();
  private firstPutOff = Number.POSITIVE_INFINITY;

  constructor(needs: DeadlinesNeeds) {
    const { clock, wall, limits, bindings } = needs;
    this.needs = needs;
    this.grace = new Grace(clock, wall, limits);
    this.due = new NextCheck(clock, limits, bindings, this.grace);
    this.watching = new ExpectationMonitor(needs, this.grace);
  }

  /** Everything due by `nowMs` is looked at: the first now, the others as these are done, and everyone else in between. */
  run(nowMs: number): void {
    this.untilMs = nowMs;
    this.grace.check();
    this.bringBack(nowMs);
    this.fill();
  }

  private bringBack(nowMs: number): void {
    const now = this.needs.clock.monotonic();
    if (now < this.firstPutOff) return;
    this.firstPutOff = Number.POSITIVE_INFINITY;
    for (const [sessionId, until] of this.postponed) {
      if (until > now) this.firstPutOff = Math.min(this.firstPutOff, until);
      else {
        this.postponed.delete(sessionId);
        this.needs.index.bringForward(sessionId, nowMs);
      }
    }
  }

  private fill(): void {
    const { index, backlog } = this.needs;
    if (backlog.failed !== null) return;
    for (const sessionId of index.deadlines.takeDue(this.untilMs, MAX_CONCURRENT - this.underWay)) {
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
    this.needs.clock.after(0, () => {
      this.waiting = false;
      this.fill();
    });
  }

  private async wake(sessionId: string): Promise<void> {
    const { index, clock, log } = this.needs;
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
    const { due } = this;
    const { index, clock, sessions } = this.needs;
    const current = await this.needs.sessions.currentHead(sessionId);
    if (current === null || current.damaged || isTerminal(current.head.state)) return this.forget(sessionId);
    // Reading took its time: the clock may have jumped meanwhile.
    this.grace.check();
    const nowMs = clock.now();
    let nextMs = due.checkAtMs(current.head);
    if (nextMs <= nowMs) {
      this.needs.meter.lateMs.observe(nowMs - nextMs);
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
    const until = this.needs.clock.monotonic() + Math.max(0, ms);
    this.postponed.set(sessionId, until);
    this.firstPutOff = Math.min(this.firstPutOff, until);
  }

  /** What was due first comes first: an end leaves nothing to expect, and an expectation may be the end. Says when to look again. */
  private async settle(session: LiveSession, head: Head, nowMs: number): Promise<number> {
    const { due, watching } = this;
    const lifecycleMs = due.lifecycleAtMs(head);
    const end = async (): Promise<unknown> =>
      lifecycleMs <= nowMs
        ? session.decide((state) => applyDueDeadline(state, nowMs, due.orphanAtMs(state.head)))
        : undefined;
    const expectedFirst = (head.due_at ?? Number.POSITIVE_INFINITY) <= lifecycleMs;
    // Both are asked for now, and what was asked first is judged first.
    const ended = expectedFirst ? null : end();
    const fired = watching.fire(session, nowMs);
    const [nextMs] = await Promise.all([fired, ended ?? end()]);
    const after = session.durable === null ? lifecycleMs : due.lifecycleAtMs(session.durable.head);
    return nextMs === null ? after : Math.min(after, nextMs);
  }

  private leave(sessionId: string): void {
    this.forget(sessionId);
    this.needs.sessions.release(sessionId);
  }

  private forget(sessionId: string): void {
    this.postponed.delete(sessionId);
    this.needs.index.forget(sessionId);
    this.watching.forget(sessionId);
    this.grace.forget(sessionId);
  }
}

type CheckLimits = Pick<Limits, 'orphanMs' | 'restartGraceMs'>;
type Connected = Pick<Bindings, 'isBound' | 'presence'>;

class NextCheck {
  private readonly clock: Clock;
  private readonly limits: CheckLimits;
  private readonly bindings: Connected;
  private readonly grace: Grace;

  constructor(clock: Clock, limits: CheckLimits, bindings: Connected, grace: Grace) {
    this.clock = clock;
    this.limits = limits;
    this.bindings = bindings;
    this.grace = grace;
  }

  /** When the session must be looked at next, as far as is known now. */
  checkAtMs(head: Head): number {
    const dueMs = this.grace.checkAtMs(head);
    const lifecycleMs = this.lifecycleAtMs(head);
    return dueMs === null ? lifecycleMs : Math.min(dueMs, lifecycleMs);
  }

  /** By its lifecycle alone. */
  lifecycleAtMs(head: Head): number {
    const ownMs = lifecycleDeadline(head);
    if (ownMs === null) return this.orphanAtMs(head) ?? this.clock.now() + this.limits.orphanMs;
    const graceMs = Math.max(ownMs, this.inviteGraceUntilMs(head));
    return head.expires_at === null || graceMs === ownMs ? graceMs : Math.min(graceMs, msFromIso(head.expires_at));
  }

  /** null = somebody is here, or the session has a deadline of its own. */
  orphanAtMs(head: Head): number | null {
    if (head.state !== 'ACTIVE' || head.expires_at !== null) return null;
    const { bindings, limits } = this;
    const members = Object.entries(head.members).filter(([, status]) => status === 'active' || status === 'hidden');
    if (members.some(([agentId]) => bindings.isBound(agentId))) return null;
    const lastSeen = members.map(([agentId]) => bindings.presence.lastSeenMs(agentId));
    return Math.max(bindings.presence.startedMs, ...lastSeen) + limits.orphanMs;
  }

  /** Until when an invite from before the start stays open, whatever its deadline says; 0 = it has no such grace. */
  private inviteGraceUntilMs(head: Head): number {
    const { startedMs } = this.bindings.presence;
    const isOld = head.state === 'INVITED' && msFromIso(head.created_at) < startedMs;
    return isOld ? startedMs + this.limits.restartGraceMs : 0;
  }
}
