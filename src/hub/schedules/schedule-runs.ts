/** Runs schedules: keeps one deadline and the last result for each. No scheduled time opens a session twice. */

import { asError } from '../../core/lib/errors.ts';
import { DeadlineHeap } from '../../core/lib/heap.ts';
import type { Json } from '../../core/lib/json.ts';
import { isoFromMs, msFromIso } from '../../core/lib/time.ts';
import type { Schedule, ScheduleDefinition, ScheduleRun } from '../../core/records/work/schedule.ts';
import { forEachLimit } from '../lib/for-each-limit.ts';
import type { Ground } from '../log/ground.ts';
import { type DueTime, dueTime, runAfter } from './next-run.ts';
import { type RunResult, type ScheduleBook, ScheduleOpener, type ScheduleOpenerNeeds } from './schedule-open.ts';

export type ScheduleRunsNeeds = Ground & ScheduleOpenerNeeds;

/** Enough to fill a flush when very many schedules are due at midnight. */
const MAX_CONCURRENT = 64;
/** Delay before a failed run is retried. */
const AGAIN_MS = 2_000;
/** Delay before a schedule without a time within ten years is checked again. */
const LOOK_AGAIN_MS = 365 * 86_400_000;

/** The progress of a schedule, stored as a named value instead of a log, so that a start reads one record each. */
export interface RunProgress {
  /** The last scheduled time handled; 0 if none. */
  readonly until_ms: number;
  /** The scheduled time being opened. After a crash its idempotency key tells whether the session was opened. */
  readonly opening_at: string | null;
  readonly last_run: ScheduleRun | null;
  /** The session opened by the last run. */
  readonly session_id: string | null;
}

interface NextRun {
  readonly definition: ScheduleDefinition;
  readonly from: number;
  readonly at: number | null;
}

const NOT_RUN: RunProgress = { until_ms: 0, opening_at: null, last_run: null, session_id: null };

export class ScheduleRuns {
  private readonly needs: ScheduleRunsNeeds;
  private readonly opener: ScheduleOpener;
  private readonly schedules: ScheduleBook;
  private readonly deadlines = new DeadlineHeap();
  private readonly progress = new Map<string, RunProgress>();
  /** By schedule, the time after which scheduled times count. */
  private readonly from = new Map<string, number>();
  /** Next runs, cached because lists show them for very many schedules. */
  private readonly next = new Map<string, NextRun>();
  /** Schedules being run now; they are armed afterwards. */
  private readonly busy = new Set<string>();
  private lastMs = 0;

  constructor(needs: ScheduleRunsNeeds, schedules: ScheduleBook) {
    this.needs = needs;
    this.opener = new ScheduleOpener(needs, schedules);
    this.schedules = schedules;
  }

  async start(definitions: Iterable<ScheduleDefinition>): Promise<void> {
    await forEachLimit(MAX_CONCURRENT, definitions, async ({ schedule_id }) => {
      const stored = await this.needs.store.getMeta(nameOf(schedule_id));
      // Written by `save`.
      if (stored !== null) this.progress.set(schedule_id, stored as unknown as RunProgress);
      this.arm(schedule_id);
    });
  }

  withRuns(definition: ScheduleDefinition): Schedule {
    const next = definition.paused ? null : this.nextMs(definition);
    const { last_run } = this.progressOf(definition.schedule_id);
    return { ...definition, next_run_at: next === null ? null : isoFromMs(next), last_run };
  }

  /** Called when the schedule was created, changed or deleted. */
  changed(scheduleId: string): void {
    this.from.delete(scheduleId);
    if (!this.busy.has(scheduleId)) this.arm(scheduleId);
  }

  /** Runs everything due; called once a second. */
  run(nowMs: number): void {
    // After the clock was set back, times are due earlier than they were armed for.
    if (nowMs < this.lastMs) for (const { schedule_id } of this.schedules.list(null, '')) this.changed(schedule_id);
    this.lastMs = nowMs;
    const due = this.deadlines.takeDue(nowMs);
    for (const scheduleId of due) this.busy.add(scheduleId);
    if (due.length > 0) void forEachLimit(MAX_CONCURRENT, due, (scheduleId) => this.wake(scheduleId));
  }

  private async wake(scheduleId: string): Promise<void> {
    let again = false;
    try {
      again = await this.dealWithAll(scheduleId);
    } catch (thrown) {
      again = true;
      const error = asError(thrown).message;
      if (this.needs.backlog.failed === null) this.needs.log.warn('a schedule could not run', { scheduleId, error });
    }
    this.busy.delete(scheduleId);
    this.arm(scheduleId);
    if (again && this.deadlines.at(scheduleId) !== undefined) {
      this.deadlines.set(scheduleId, this.needs.wall.now() + AGAIN_MS);
    }
  }

  /** Returns true if a due time must be tried again. */
  private async dealWithAll(scheduleId: string): Promise<boolean> {
    await this.recover(scheduleId);
    for (;;) {
      const { wall, limits, backlog } = this.needs;
      const definition = this.schedules.definition(scheduleId);
      if (definition === null || definition.paused || backlog.failed !== null) return false;
      const nowMs = wall.now();
      const due = dueTime(definition, this.fromMs(definition), nowMs, limits.scheduleLateMs);
      if (due === null) return false;
      const run = await this.deal(definition, due, nowMs);
      if (run === 'later') return true;
      if (run === 'known') {
        this.from.set(scheduleId, due.at_ms);
        continue;
      }
      await this.record(scheduleId, due.at_ms, run);
    }
  }

  private async record(scheduleId: string, until_ms: number, run: ScheduleRun): Promise<void> {
    const session_id = run.session_id ?? this.progressOf(scheduleId).session_id;
    await this.save(scheduleId, { until_ms, opening_at: null, last_run: run, session_id });
    this.from.delete(scheduleId);
    const schedule = this.schedules.get(scheduleId);
    if (schedule !== null) this.needs.events.emit('scheduleRan', { schedule, run });
  }

  private deal(definition: ScheduleDefinition, due: DueTime, nowMs: number): Promise<RunResult> {
    const { schedule_id } = definition;
    const before = this.progressOf(schedule_id);
    // This time has already run: the clock was set back since.
    if (before.last_run?.scheduled_at === isoFromMs(due.at_ms)) return Promise.resolve('known');
    return this.opener.run(definition, due, {
      nowMs,
      lastSessionId: before.session_id,
      beforeOpening: (opening_at) => this.save(schedule_id, { ...before, opening_at }),
    });
  }

  /** After a crash during an opening: if the session was opened, record it as the last run. */
  private async recover(scheduleId: string): Promise<void> {
    const before = this.progressOf(scheduleId);
    const definition = this.schedules.definition(scheduleId);
    const { opening_at } = before;
    if (opening_at === null || definition === null) return;
    const session_id = await this.opener.find(definition, opening_at);
    if (session_id === null) return this.save(scheduleId, { ...before, opening_at: null });
    const at = isoFromMs(this.needs.wall.now());
    const run = {
      scheduled_at: opening_at,
      at,
      outcome: 'opened',
      session_id,
      error: null,
      missed_since: null,
    } as const;
    await this.record(scheduleId, msFromIso(opening_at), run);
  }

  private async save(scheduleId: string, progress: RunProgress): Promise<void> {
    // Progress is JSON.
    await this.needs.store.setMeta(nameOf(scheduleId), progress as unknown as Json);
    this.progress.set(scheduleId, progress);
  }

  private arm(scheduleId: string): void {
    const definition = this.schedules.definition(scheduleId);
    if (definition === null) this.forget(scheduleId);
    if (definition === null || definition.paused) return this.deadlines.set(scheduleId, null);
    const nowMs = this.needs.wall.now();
    const isUnsure = this.progressOf(scheduleId).opening_at !== null;
    this.deadlines.set(scheduleId, isUnsure ? nowMs : (this.nextMs(definition) ?? nowMs + LOOK_AGAIN_MS));
  }

  private forget(scheduleId: string): void {
    this.progress.delete(scheduleId);
    this.from.delete(scheduleId);
    this.next.delete(scheduleId);
  }

  private nextMs(definition: ScheduleDefinition): number | null {
    const from = this.fromMs(definition);
    const known = this.next.get(definition.schedule_id);
    if (known?.definition === definition && known.from === from) return known.at;
    const at = runAfter(definition.expression, definition.zone, from);
    this.next.set(definition.schedule_id, { definition, from, at });
    return at;
  }

  /** The time after which scheduled times count. After the clock was set back, now: keys tell which sessions were opened. */
  private fromMs({ schedule_id, counts_from }: ScheduleDefinition): number {
    const known = this.from.get(schedule_id);
    if (known !== undefined) return known;
    const { until_ms } = this.progressOf(schedule_id);
    const from = Math.min(this.needs.wall.now(), Math.max(until_ms, msFromIso(counts_from)));
    this.from.set(schedule_id, from);
    return from;
  }

  private progressOf(scheduleId: string): RunProgress {
    return this.progress.get(scheduleId) ?? NOT_RUN;
  }
}

function nameOf(scheduleId: string): string {
  return `schedule.${scheduleId}`;
}
