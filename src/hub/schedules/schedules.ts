/** The schedules of the hub: a log of the same kind as a session's, with the same two states. When they run is another file's. */

import { refuse } from '../../core/decisions/advance.ts';
import type { Entry } from '../../core/records/session/envelope.ts';
import type { WireError } from '../../core/lib/errors.ts';
import type { Schedule, ScheduleChange, ScheduleClaim, ScheduleDefinition } from '../../core/records/work/schedule.ts';
import { SCHEDULES_LOG } from '../../core/ports/store.ts';
import { KeptBook } from '../log/hub-log.ts';
import type { Judge } from '../log/staged-log.ts';
import type { HubParts } from '../parts.ts';
import type { Guard } from '../registry/registry.ts';
import {
  foldSchedule,
  NO_SCHEDULES,
  nameRefusal,
  noSchedule,
  roomRefusal,
  type ScheduleBook,
  scheduleEntry,
} from '../schedule-entries.ts';
import { ScheduleRuns } from './schedule-runs.ts';

/** With the defaults filled in. */
export type CompleteClaim = Pick<ScheduleDefinition, keyof ScheduleClaim>;

/** Asked when it is judged: may the one who asked change this one? */
export type ScheduleGuard = (definition: ScheduleDefinition) => WireError | null;

export class Schedules {
  readonly runs: ScheduleRuns;
  private readonly parts: HubParts;
  private readonly book: KeptBook<ScheduleBook>;
  /** How many changes of each are under way. */
  private readonly changing = new Map<string, number>();

  constructor(parts: HubParts) {
    this.parts = parts;
    this.runs = new ScheduleRuns(parts, this);
    this.book = new KeptBook<ScheduleBook>(parts, {
      logId: SCHEDULES_LOG,
      what: 'the schedules',
      empty: NO_SCHEDULES,
      fold: foldSchedule,
      onDurable: (entry) => this.announce(entry),
    });
    parts.events.on('agentUnregistered', ({ passport }) => this.deleteAllOf(passport.agent_id));
  }

  async start(): Promise<void> {
    await this.book.start();
    await this.runs.start(this.book.durable.byId.values());
  }

  /** As far as it is durable. */
  definition(scheduleId: string): ScheduleDefinition | null {
    return this.book.durable.byId.get(scheduleId) ?? null;
  }

  /** It stands as it is given, and nobody is about to change it. */
  isSettled(definition: ScheduleDefinition): boolean {
    const { schedule_id } = definition;
    return !this.changing.has(schedule_id) && this.definition(schedule_id) === definition;
  }

  get(scheduleId: string): Schedule | null {
    const definition = this.definition(scheduleId);
    return definition === null ? null : this.runs.withRuns(definition);
  }

  /** Those of one creator, or of all, by id; the first after `after`. */
  list(creatorId: string | null, after: string): readonly ScheduleDefinition[] {
    const all = [...this.book.durable.byId.values()];
    return all
      .filter(({ schedule_id, creator_id }) => schedule_id > after && (creatorId ?? creator_id) === creator_id)
      .sort((a, b) => (a.schedule_id < b.schedule_id ? -1 : 1));
  }

  async create(creator_id: string, claim: CompleteClaim, guard: Guard): Promise<Schedule> {
    const schedule_id = this.parts.ids.hex32();
    const made = await this.book.admit((book) => {
      const stamp = this.parts.stamper.next(book.envelope_id);
      const at = stamp.created_at;
      const times = { created_at: at, updated_at: at, counts_from: at };
      const definition: ScheduleDefinition = { schedule_id, creator_id, ...claim, paused: false, ...times };
      const refusal = guard() ?? nameRefusal(book, definition) ?? roomRefusal(book, this.parts.limits, creator_id);
      return refusal === null
        ? scheduleEntry(book, stamp, 'schedule.created', definition, definition)
        : refuse(refusal);
    });
    return this.runs.withRuns(made);
  }

  /** What changes nothing is not written. */
  async update(scheduleId: string, change: ScheduleChange, guard: ScheduleGuard): Promise<Schedule> {
    const made = await this.change(scheduleId, (book) => {
      const before = book.byId.get(scheduleId);
      if (before === undefined) return refuse(noSchedule(scheduleId));
      const stamp = this.parts.stamper.next(book.envelope_id);
      const definition = changed(before, change, stamp.created_at);
      const refusal = guard(before) ?? nameRefusal(book, definition);
      if (refusal !== null) return refuse(refusal);
      return scheduleEntry(book, stamp, 'schedule.updated', definition, definition);
    });
    return this.runs.withRuns(made);
  }

  /** Those it opened go on. */
  delete(scheduleId: string, guard: ScheduleGuard = () => null): Promise<{ readonly schedule_id: string }> {
    return this.change(scheduleId, (book) => {
      const before = book.byId.get(scheduleId);
      if (before === undefined) return refuse(noSchedule(scheduleId));
      const refusal = guard(before);
      if (refusal !== null) return refuse(refusal);
      const stamp = this.parts.stamper.next(book.envelope_id);
      return scheduleEntry(book, stamp, 'schedule.deleted', before, { schedule_id: scheduleId });
    });
  }

  /** Who is no longer registered opens nothing. One that stays because this fails is found when it is due. */
  private deleteAllOf(agentId: string): void {
    for (const { schedule_id } of this.list(agentId, '')) void this.delete(schedule_id).catch(() => {});
  }

  /** Known until it is durable or refused, also if it is judged again. */
  private async change<T>(scheduleId: string, judge: Judge<ScheduleBook, T>): Promise<T> {
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
    const { events } = this.parts;
    // Written by this class from a definition.
    const definition = event_data as unknown as ScheduleDefinition;
    this.runs.changed(definition.schedule_id);
    const schedule = this.runs.withRuns(definition);
    if (event_type === 'schedule.created') events.emit('scheduleCreated', { schedule });
    else if (event_type === 'schedule.updated') events.emit('scheduleUpdated', { schedule });
    else events.emit('scheduleDeleted', { schedule });
  }
}

/** Other times count from now on, and so do those after a pause. */
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
