/**
 * Schedules: opens sessions by the clock. Owns the log of definitions. No scheduled time opens a session twice, not even after a
 * crash. schedule-runs.ts decides when to open, schedule-open.ts how. Start reading at `create`.
 */

import { refuse } from '../../core/decisions/decision.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { SCHEDULES_LOG } from '../../core/ports/store.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import { HUB_ID, PLAIN } from '../../core/records/session/envelope.ts';
import type { Stamp } from '../../core/records/session/stamp.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import type { Schedule, ScheduleChange, ScheduleClaim, ScheduleDefinition } from '../../core/records/work/schedule.ts';
import { HubLog } from '../log/hub-log.ts';
import type { Judge, Judgement } from '../log/staged-log.ts';
import type { Guard } from '../registry/registry.ts';
import { ScheduleRuns, type ScheduleRunsNeeds } from './schedule-runs.ts';

/** A claim with the defaults filled in. */
type CompleteClaim = Pick<ScheduleDefinition, keyof ScheduleClaim>;

/** Checked when a change is decided: why the caller may not make it, or null. */
export type ScheduleGuard = (definition: ScheduleDefinition) => WireError | null;

export class Schedules {
  readonly runs: ScheduleRuns;
  private readonly needs: ScheduleRunsNeeds;
  private readonly book: HubLog<ScheduleLogState>;
  /** Number of pending changes, by schedule. */
  private readonly changing = new Map<string, number>();

  constructor(needs: ScheduleRunsNeeds) {
    this.needs = needs;
    this.runs = new ScheduleRuns(needs, this);
    this.book = new HubLog<ScheduleLogState>(needs, {
      logId: SCHEDULES_LOG,
      what: 'the schedules',
      empty: NO_SCHEDULES,
      fold: foldSchedule,
      onDurable: (entry) => this.announce(entry),
    });
    needs.events.on('agentUnregistered', ({ passport }) => this.deleteAllOf(passport.agent_id));
  }

  async start(): Promise<void> {
    await this.book.start();
    await this.runs.start(this.book.durable.byId.values());
  }

  /** The durable definition; null if the schedule does not exist. */
  definition(scheduleId: string): ScheduleDefinition | null {
    return this.book.durable.byId.get(scheduleId) ?? null;
  }

  /** True if this definition is durable and no change is pending. */
  isSettled(definition: ScheduleDefinition): boolean {
    const { schedule_id } = definition;
    return !this.changing.has(schedule_id) && this.definition(schedule_id) === definition;
  }

  get(scheduleId: string): Schedule | null {
    const definition = this.definition(scheduleId);
    return definition === null ? null : this.runs.withRuns(definition);
  }

  /** The schedules of one creator (null for all) whose id follows `after`, sorted by id. */
  list(creatorId: string | null, after: string): readonly ScheduleDefinition[] {
    const all = [...this.book.durable.byId.values()];
    return all
      .filter(({ schedule_id, creator_id }) => schedule_id > after && (creatorId ?? creator_id) === creator_id)
      .sort((a, b) => (a.schedule_id < b.schedule_id ? -1 : 1));
  }

  async create(creator_id: string, claim: CompleteClaim, guard: Guard): Promise<Schedule> {
    const schedule_id = this.needs.ids.hex32();
    const made = await this.book.admit((book) => {
      const stamp = this.needs.stamper.next(book.envelope_id);
      const at = stamp.created_at;
      const times = { created_at: at, updated_at: at, counts_from: at };
      const definition: ScheduleDefinition = { schedule_id, creator_id, ...claim, paused: false, ...times };
      const refusal =
        guard() ?? duplicateNameError(book, definition) ?? quotaError(book, this.needs.limits, creator_id);
      return refusal === null
        ? scheduleEntry(book, stamp, 'schedule.created', definition, definition)
        : refuse(refusal);
    });
    return this.runs.withRuns(made);
  }

  async update(scheduleId: string, change: ScheduleChange, guard: ScheduleGuard): Promise<Schedule> {
    const made = await this.change(scheduleId, (book) => {
      const before = book.byId.get(scheduleId);
      if (before === undefined) return refuse(noScheduleError(scheduleId));
      const stamp = this.needs.stamper.next(book.envelope_id);
      const definition = changed(before, change, stamp.created_at);
      const refusal = guard(before) ?? duplicateNameError(book, definition);
      if (refusal !== null) return refuse(refusal);
      return scheduleEntry(book, stamp, 'schedule.updated', definition, definition);
    });
    return this.runs.withRuns(made);
  }

  /** Deletes a schedule; sessions it has opened continue. */
  delete(scheduleId: string, guard: ScheduleGuard = () => null): Promise<{ readonly schedule_id: string }> {
    return this.change(scheduleId, (book) => {
      const before = book.byId.get(scheduleId);
      if (before === undefined) return refuse(noScheduleError(scheduleId));
      const refusal = guard(before);
      if (refusal !== null) return refuse(refusal);
      const stamp = this.needs.stamper.next(book.envelope_id);
      return scheduleEntry(book, stamp, 'schedule.deleted', before, { schedule_id: scheduleId });
    });
  }

  /** Deletes the schedules of a retired identity. If a delete fails, it is repeated when the schedule is due. */
  private deleteAllOf(agentId: string): void {
    for (const { schedule_id } of this.list(agentId, '')) void this.delete(schedule_id).catch(() => {});
  }

  /** Counts the change as pending until it is durable or rejected. */
  private async change<T>(scheduleId: string, judge: Judge<ScheduleLogState, T>): Promise<T> {
    const { changing } = this;
    changing.set(scheduleId, (changing.get(scheduleId) ?? 0) + 1);
    try {
      return await this.book.admit(judge);
    } finally {
      const left = (changing.get(scheduleId) ?? 1) - 1;
      if (left === 0) changing.delete(scheduleId);
      else changing.set(scheduleId, left);
    }
  }

  private announce({ envelope: { event_type, event_data } }: Entry): void {
    const { events } = this.needs;
    // This class wrote it from a definition.
    const definition = event_data as unknown as ScheduleDefinition;
    this.runs.changed(definition.schedule_id);
    const schedule = this.runs.withRuns(definition);
    if (event_type === 'schedule.created') events.emit('scheduleCreated', { schedule });
    else if (event_type === 'schedule.updated') events.emit('scheduleUpdated', { schedule });
    else events.emit('scheduleDeleted', { schedule });
  }
}

/** Applies a change. Times count from now on if they changed or a pause ended. */
function changed(before: ScheduleDefinition, change: ScheduleChange, updated_at: string): ScheduleDefinition {
  const { expression = before.expression, zone = before.zone, paused = before.paused } = change;
  const isOtherTime = expression !== before.expression || zone !== before.zone || (before.paused && !paused);
  return {
    ...before,
    name: change.name ?? before.name,
    template: change.template ?? before.template,
    expression,
    zone,
    missed: change.missed ?? before.missed,
    overlap: change.overlap ?? before.overlap,
    paused,
    updated_at,
    counts_from: isOtherTime ? updated_at : before.counts_from,
  };
}

/** All schedules after an entry. They are few and change rarely, so each change copies the map. */
interface ScheduleLogState {
  readonly seq: number;
  readonly envelope_id: string | null;
  readonly byId: ReadonlyMap<string, ScheduleDefinition>;
}

const NO_SCHEDULES: ScheduleLogState = { seq: 0, envelope_id: null, byId: new Map() };

type ScheduleEntryType = 'schedule.created' | 'schedule.updated' | 'schedule.deleted';

function foldSchedule(book: ScheduleLogState, { envelope }: Entry): ScheduleLogState {
  const { seq, envelope_id, event_type, event_data } = envelope;
  const byId = new Map(book.byId);
  const scheduleId = String(event_data.schedule_id);
  if (event_type === 'schedule.deleted') byId.delete(scheduleId);
  // `scheduleEntry` wrote it from a definition.
  else byId.set(scheduleId, event_data as unknown as ScheduleDefinition);
  return { seq, envelope_id, byId };
}

function scheduleEntry<T>(
  book: ScheduleLogState,
  stamp: Stamp,
  event_type: ScheduleEntryType,
  definition: ScheduleDefinition,
  answer: T,
): Judgement<ScheduleLogState, T> {
  const draft = { session_id: SCHEDULES_LOG, sender_id: HUB_ID, audience: [], event_type, ...PLAIN };
  // A definition is JSON.
  const event_data = definition as unknown as JsonObject;
  const entry: Entry = { envelope: { ...draft, event_data, ...stamp, seq: book.seq + 1, depth: 0 }, turn: null };
  return { kind: 'accept', unit: { entries: [entry] }, after: foldSchedule(book, entry), answer };
}

function quotaError(
  { byId }: ScheduleLogState,
  { maxSchedules, maxSchedulesPerCreator }: Limits,
  creatorId: string,
): WireError | null {
  const own = [...byId.values()].filter(({ creator_id }) => creator_id === creatorId).length;
  if (own >= maxSchedulesPerCreator) return tooMany('you may have', maxSchedulesPerCreator);
  return byId.size >= maxSchedules ? tooMany('this hub accepts', maxSchedules) : null;
}

/** Names are unique per creator, so that a repeated request creates no second schedule. */
function duplicateNameError({ byId }: ScheduleLogState, wanted: ScheduleDefinition): WireError | null {
  for (const { schedule_id, creator_id, name } of byId.values()) {
    if (creator_id !== wanted.creator_id || name !== wanted.name || schedule_id === wanted.schedule_id) continue;
    const message = `params.name: you already have a schedule "${name}"; update it, or use another name`;
    return new WireError('conflict', message, { field: 'params.name', schedule_id });
  }
  return null;
}

export function noScheduleError(scheduleId: string): WireError {
  return new WireError('not_found', `no schedule ${scheduleId}`);
}

function tooMany(bound: string, most: number): WireError {
  return new WireError('too_large', `${bound} at most ${most} schedules; delete one first`, { most });
}
