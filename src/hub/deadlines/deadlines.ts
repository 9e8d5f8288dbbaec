/**
 * Deadlines: checks sessions whose deadline has passed, a few at a time, because very many can be due after a downtime.
 * Owns grace periods and failed expectations. A deadline only wakes a session; the decision is made on its admitted state.
 * Start at `run`.
 */

import { applyDueDeadline } from '../../core/decisions/end-session.ts';
import { msFromIso } from '../../core/lib/time.ts';
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

interface DeadlinesNeeds extends Ground {
  readonly bindings: Pick<Bindings, 'isBound' | 'presence'>;
  readonly index: LiveIndex;
  readonly sessions: Sessions;
}

/** Enough to fill a flush. Bounds memory to 128 sessions with one log page each, and work to about 50 ms. */
const MAX_CONCURRENT = 128;

export class Deadlines {
  readonly grace: Grace;
  readonly watching: ExpectationMonitor;
  readonly due: NextCheck;
  private readonly needs: DeadlinesNeeds;
  private running = 0;
  private untilMs = 0;
  private waiting = false;
  /** Monotonic time until which each session's check is postponed; the wall clock may be set meanwhile. */
  private readonly postponed = new Map<string, number>();
  private firstPostponed = Number.POSITIVE_INFINITY;

  constructor(needs: DeadlinesNeeds) {
    const { clock, wall, limits } = needs;
    this.needs = needs;
    this.grace = new Grace(clock, wall, limits);
    this.due = new NextCheck(needs, this.grace);
    this.watching = new ExpectationMonitor(needs, this.grace);
  }

  /** Checks the sessions due by `nowMs`: the first ones now, the rest as these finish, with other work in between. */
  run(nowMs: number): void {
    this.untilMs = nowMs;
    this.grace.check();
    this.resumePostponed(nowMs);
    this.fill();
  }

  private resumePostponed(nowMs: number): void {
    const now = this.needs.clock.monotonic();
    if (now < this.firstPostponed) return;
    this.firstPostponed = Number.POSITIVE_INFINITY;
    for (const [sessionId, until] of this.postponed) {
      if (until > now) this.firstPostponed = Math.min(this.firstPostponed, until);
      else {
        this.postponed.delete(sessionId);
        this.needs.index.bringForward(sessionId, nowMs);
      }
    }
  }

  private fill(): void {
    const { index, backlog } = this.needs;
    if (backlog.failed !== null) return;
    for (const sessionId of index.deadlines.takeDue(this.untilMs, MAX_CONCURRENT - this.running)) {
      this.running += 1;
      void this.wake(sessionId).finally(() => {
        this.running -= 1;
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
    // Arm the session again first: if the decision cannot be written, a later sweep retries.
    const againMs = Math.max(this.untilMs, clock.now()) + 1;
    index.deadlines.set(sessionId, againMs);
    try {
      await this.check(sessionId, againMs);
    } catch (thrown) {
      log.warn('a deadline could not be handled', { session_id: sessionId, error: String(thrown) });
    }
  }

  private async check(sessionId: string, againMs: number): Promise<void> {
    const { due } = this;
    const { index, clock, sessions } = this.needs;
    const current = await sessions.currentHead(sessionId);
    if (current === null || current.damaged || isTerminal(current.head.state)) return this.forget(sessionId);
    // The clock may have jumped during the read.
    this.grace.check();
    const nowMs = clock.now();
    let nextMs = due.checkAtMs(current.head);
    if (nextMs <= nowMs) {
      this.needs.meter.lateMs.observe(nowMs - nextMs);
      nextMs = await sessions.use(sessionId, (session) => this.settle(session, current.head, nowMs));
      // Release an ended session now, not at the next sweep: very many may end together.
      if (index.deadlines.at(sessionId) === undefined) this.leave(sessionId);
    }
    // A different armed deadline means that the session changed meanwhile: keep it.
    if (index.deadlines.at(sessionId) === againMs && nextMs > againMs) index.deadlines.set(sessionId, nextMs);
    const { due_at } = sessions.peek(sessionId)?.durable?.head ?? current.head;
    if (due_at != null && due_at < nextMs) this.recheckAfter(sessionId, nextMs - nowMs);
  }

  /** Schedules another check. An early check is harmless, because the decision uses the current state. */
  private recheckAfter(sessionId: string, ms: number): void {
    const until = this.needs.clock.monotonic() + Math.max(0, ms);
    this.postponed.set(sessionId, until);
    this.firstPostponed = Math.min(this.firstPostponed, until);
  }

  /** Applies lifecycle and expectations in the order they fell due: either may make the other moot. Returns the next check. */
  private async settle(session: LiveSession, head: Head, nowMs: number): Promise<number> {
    const { due, watching } = this;
    const lifecycleMs = due.lifecycleAtMs(head);
    const end = async (): Promise<unknown> =>
      lifecycleMs <= nowMs
        ? session.decide((state) => applyDueDeadline(state, nowMs, due.orphanAtMs(state.head)))
        : undefined;
    const expectedFirst = (head.due_at ?? Number.POSITIVE_INFINITY) <= lifecycleMs;
    // Start both without waiting; they are judged in the order in which they start.
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

class NextCheck {
  private readonly needs: DeadlinesNeeds;
  private readonly grace: Grace;

  constructor(needs: DeadlinesNeeds, grace: Grace) {
    this.needs = needs;
    this.grace = grace;
  }

  /** When to check the session next, judged by its head. */
  checkAtMs(head: Head): number {
    const dueMs = this.grace.checkAtMs(head);
    const lifecycleMs = this.lifecycleAtMs(head);
    return dueMs === null ? lifecycleMs : Math.min(dueMs, lifecycleMs);
  }

  lifecycleAtMs(head: Head): number {
    const ownMs = lifecycleDeadline(head);
    const { clock, limits } = this.needs;
    if (ownMs === null) return this.orphanAtMs(head) ?? clock.now() + limits.orphanMs;
    const graceMs = Math.max(ownMs, this.inviteGraceUntilMs(head));
    return head.expires_at === null || graceMs === ownMs ? graceMs : Math.min(graceMs, msFromIso(head.expires_at));
  }

  /** When the session becomes an orphan; null if it is not ACTIVE, has an expiry time, or a participant is bound. */
  orphanAtMs(head: Head): number | null {
    if (head.state !== 'ACTIVE' || head.expires_at !== null) return null;
    const { bindings, limits } = this.needs;
    const members = Object.entries(head.members).filter(([, status]) => status === 'active' || status === 'hidden');
    if (members.some(([agentId]) => bindings.isBound(agentId))) return null;
    const lastSeen = members.map(([agentId]) => bindings.presence.lastSeenMs(agentId));
    return Math.max(bindings.presence.startedMs, ...lastSeen) + limits.orphanMs;
  }

  /** End of the grace period for invites older than the hub's start, despite their deadline; 0 if none applies. */
  private inviteGraceUntilMs(head: Head): number {
    const { bindings, limits } = this.needs;
    const { startedMs } = bindings.presence;
    const isOld = head.state === 'INVITED' && msFromIso(head.created_at) < startedMs;
    return isOld ? startedMs + limits.restartGraceMs : 0;
  }
}
