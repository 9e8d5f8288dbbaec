/** Applies the schedules of a config file by name: creates, updates, and deletes those removed from the file. */

import { basename } from 'node:path';
import type { AgentClient } from '../client/agent-client.ts';
import { type ScheduleOptions, scheduleParams } from '../client/operations/params.ts';
import { asError } from '../core/lib/errors.ts';
import { type Json, jsonEqual } from '../core/lib/json.ts';
import type { Params } from '../core/protocol/operations/operations.ts';
import type { Schedule } from '../core/records/work/schedule.ts';
import type { LocalHub } from '../server/create-hub.ts';
import type { ScheduleUpdateKind } from '../server/up.ts';
import type { ScheduleConfig } from './shape/config.ts';

/** Label that marks schedules created from a config file. */
const FILE_LABEL = 'config_file';

interface ApplyContext {
  readonly hub: LocalHub;
  readonly file: string;
  /** Runs `work` with the client of a participant of the file, or with a temporary client of that name. */
  speaker<T>(name: string, work: (client: AgentClient) => Promise<T>): Promise<T>;
  report(schedule: Schedule, what: ScheduleUpdateKind): void;
}

/** Applies schedules one by one; on an error, undoes earlier changes and throws the error from `failed`. */
export async function applySchedules(
  schedules: Readonly<Record<string, ScheduleConfig>>,
  applying: ApplyContext,
  failed: (name: string, thrown: unknown) => Error,
): Promise<void> {
  const named = new Set<string>();
  const undo: (() => Promise<unknown>)[] = [];
  for (const [name, { as, ...schedule }] of Object.entries(schedules)) {
    try {
      const options = toScheduleOptions(schedule, basename(applying.file));
      const id = await applying.speaker(as, (client) => applyOne(client, name, options, applying, undo));
      named.add(id);
    } catch (thrown) {
      const remaining = await undone(undo);
      const note = `${asError(thrown).message}; ${remaining} earlier changes could not be undone`;
      throw failed(name, remaining === 0 ? thrown : new Error(note));
    }
  }
  for (const one of applying.hub.schedules()) {
    if (named.has(one.schedule_id) || one.template.labels?.[FILE_LABEL] === undefined) continue;
    await applying.hub.deleteSchedule(one.schedule_id);
    applying.report(one, 'deleted');
  }
}

export function toScheduleOptions(schedule: Omit<ScheduleConfig, 'as'>, file: string): ScheduleOptions {
  const { cron, zone, missed = 'skip', overlap = false, labels, ...session } = schedule;
  return {
    expression: cron,
    zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    missed,
    overlap,
    session: { ...session, labels: { ...labels, [FILE_LABEL]: file } },
  };
}

/** Creates or updates one schedule; leaves its paused state unchanged. */
async function applyOne(
  client: AgentClient,
  name: string,
  options: ScheduleOptions,
  { report, hub, speaker }: ApplyContext,
  undo: (() => Promise<unknown>)[],
): Promise<string> {
  const before = await called(client, name);
  if (before === null) {
    const made = await client.schedule(name, options);
    undo.push(() => hub.deleteSchedule(made.schedule_id));
    report(made, 'made');
    return made.schedule_id;
  }
  const isSame = isAsWanted(before, options);
  const now = isSame ? before : await client.updateSchedule(before.schedule_id, options);
  if (!isSame) undo.push(() => speaker(client.name, (again) => again.call('update_schedule', asBefore(before))));
  report(now, isSame ? 'kept' : 'changed');
  return now.schedule_id;
}

function asBefore({ schedule_id, template, expression, zone, missed, overlap }: Schedule): Params<'update_schedule'> {
  return { schedule_id, template, expression, zone, missed, overlap };
}

/** Undoes the latest change first; returns how many steps failed. */
async function undone(undo: readonly (() => Promise<unknown>)[]): Promise<number> {
  const failures: unknown[] = [];
  for (const step of undo.toReversed()) await step().catch((thrown: unknown) => failures.push(thrown));
  return failures.length;
}

async function called(client: AgentClient, name: string): Promise<Schedule | null> {
  for await (const one of client.schedules()) if (one.name === name) return one;
  return null;
}

function isAsWanted(before: Schedule, options: ScheduleOptions): boolean {
  const { template, expression, zone, missed, overlap } = scheduleParams(before.name, options);
  const { template: old, expression: when, zone: where, missed: lost, overlap: both } = before;
  // Undefined members of a template count as missing.
  return jsonEqual(
    plain({ old, when, where, lost, both }),
    plain({ old: template, when: expression, where: zone, lost: missed, both: overlap }),
  );
}

function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}
