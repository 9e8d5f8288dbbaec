/** Expires tasks and fires expectations of a due session, each separately: a defect in one does not affect the others. */

import { fireEntry, toWaitInput } from '../../core/decisions/expectations-due.ts';
import { expireTasks } from '../../core/decisions/task-ends.ts';
import { asError } from '../../core/lib/errors.ts';
import { msFromIso } from '../../core/lib/time.ts';
import type { BoundExpectation, TimedEntry } from '../../core/ports/expectation.ts';
import { openWaits } from '../../core/state/waits.ts';
import type { Ground } from '../log/ground.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import type { Grace } from './grace.ts';

type ExpectationMonitorNeeds = Pick<Ground, 'clock' | 'log' | 'backlog' | 'events'>;

/** Pause after an entry failed; it doubles with each failure, up to an hour. */
const FIRST_PAUSE_MS = 60_000;
const LAST_PAUSE_MS = 3_600_000;

const NOT_YET = { kind: 'nothing', answer: { fired: false } } as const;

interface Failure {
  readonly attempts: number;
  readonly until: number;
}

export class ExpectationMonitor {
  private readonly needs: ExpectationMonitorNeeds;
  private readonly grace: Grace;
  private readonly failures = new Map<string, Map<number, Failure>>();

  constructor(needs: ExpectationMonitorNeeds, grace: Grace) {
    this.needs = needs;
    this.grace = grace;
  }

  /** Expires tasks, then fires due entries in order, one unit each; returns when to check again, or null. */
  async fire(session: LiveSession, nowMs: number): Promise<number | null> {
    const expired = this.expire(session, nowMs);
    const entries = session.watch?.timed ?? [];
    // Started without waiting: each entry is judged on the state that the previous one left.
    await Promise.all([
      expired,
      ...entries
        .filter((watched) => !this.isPaused(session, watched))
        .map((watched) => this.fireOne(session, watched, nowMs)),
    ]);
    return this.nextMs(session, nowMs);
  }

  /** Expires due tasks in one unit; null if none is due or the session is unavailable. */
  private expire(session: LiveSession, nowMs: number): Promise<unknown> | null {
    if (session.unavailable !== null || (session.durable?.tasks.due_at ?? Number.POSITIVE_INFINITY) > nowMs)
      return null;
    // Nothing expires in a grace period: owners could not report while the hub was down.
    return session.decide((state) =>
      this.grace.leftMs(session.sessionId) > 0 ? { kind: 'nothing', answer: 0 } : expireTasks(state, nowMs),
    );
  }

  forget(sessionId: string): void {
    this.failures.delete(sessionId);
  }

  /** Reports an evaluator that failed on accepted entries, at most once per pause. */
  faulty(session: LiveSession, watched: BoundExpectation, error: Error): void {
    if (!this.isPaused(session, watched)) this.failed(session.sessionId, watched, error);
  }

  private async fireOne(session: LiveSession, watched: TimedEntry, nowMs: number): Promise<void> {
    const { grace } = this;
    try {
      const { fired } = await session.decide((state) =>
        grace.leftMs(session.sessionId) > 0 ? NOT_YET : fireEntry(state, watched, nowMs),
      );
      if (fired) this.failures.get(session.sessionId)?.delete(watched.index);
    } catch (thrown) {
      if (this.needs.backlog.failed === null) this.failed(session.sessionId, watched, asError(thrown));
    }
  }

  private failed(session_id: string, { index, entry }: BoundExpectation, error: Error): void {
    const ofSession = this.failures.get(session_id) ?? new Map<number, Failure>();
    const attempts = (ofSession.get(index)?.attempts ?? 0) + 1;
    const pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
    ofSession.set(index, { attempts, until: this.needs.clock.monotonic() + pauseMs });
    this.failures.set(session_id, ofSession);
    const { name, on_violation } = entry;
    const cause = error.cause === undefined ? error : asError(error.cause);
    this.needs.log.error('an expectation failed', { session_id, entry: index, name, error: cause.message });
    this.needs.events.emit('expectationFailed', { session_id, entry: index, name, on_violation, error: cause });
  }

  private isPaused(session: LiveSession, watched: BoundExpectation): boolean {
    return this.pauseMs(session, watched) > 0;
  }

  private pauseMs({ sessionId }: LiveSession, { index }: BoundExpectation): number {
    const until = this.failures.get(sessionId)?.get(index)?.until;
    return until === undefined ? 0 : Math.max(0, until - this.needs.clock.monotonic());
  }

  private nextMs(session: LiveSession, nowMs: number): number | null {
    const times = (session.watch?.timed ?? []).flatMap((watched) => {
      const pauseMs = this.pauseMs(session, watched);
      return pauseMs > 0 ? [nowMs + pauseMs] : this.dueTimes(session, watched, nowMs);
    });
    const all = [...times, ...this.taskTimes(session, nowMs)];
    return all.length === 0 ? null : all.reduce((first, time) => Math.min(first, time));
  }

  private taskTimes({ durable, unavailable, sessionId }: LiveSession, nowMs: number): readonly number[] {
    if (durable === null || unavailable !== null) return [];
    const leftMs = this.grace.leftMs(sessionId);
    return durable.tasks.live.flatMap((task) => {
      if (task.expires_at === null) return [];
      return [leftMs === 0 ? msFromIso(task.expires_at) : Math.max(msFromIso(task.expires_at), nowMs + leftMs)];
    });
  }

  private dueTimes({ durable, sessionId }: LiveSession, watched: TimedEntry, nowMs: number): readonly number[] {
    if (durable === null) return [];
    const leftMs = this.grace.leftMs(sessionId);
    try {
      return openWaits(watched, toWaitInput(durable)).map(({ due_ms }) =>
        leftMs === 0 ? due_ms : Math.max(due_ms, nowMs + leftMs),
      );
    } catch {
      // The next check reports the failure.
      return [nowMs + Math.max(1, leftMs)];
    }
  }
}
