/** The schedules of a config file: made, changed or left as they are, by name; those that the file made and has no longer are deleted. */

import { basename } from 'node:path';
import type { AgentClient } from '../../client/agent-client.ts';
import { type ScheduleOptions, scheduleParams } from '../../client/schedule.ts';
import { type Json, jsonEqual } from '../../core/json.ts';
import type { Schedule } from '../../core/schedule.ts';
import type { LocalHub } from '../create-hub.ts';
import type { ScheduleFate } from '../up.ts';
import type { ScheduleConfig } from './config.ts';

/** By this label of its sessions a schedule is known to be of a file. */
export const FILE_LABEL = 'config_file';

export interface Applying {
  readonly hub: LocalHub;
  readonly file: string;
  /** Who speaks for a name: a participant of the file, or somebody for this alone. */
  speaker<T>(name: string, work: (client: AgentClient) => Promise<T>): Promise<T>;
  tell(schedule: Schedule, what: ScheduleFate): void;
}

/** One after the other, so that what goes wrong can be told by its key: `failed` makes the error of it. */
export async function applySchedules(
  wanted: Readonly<Record<string, ScheduleConfig>>,
  applying: Applying,
  failed: (name: string, thrown: unknown) => Error,
): Promise<void> {
  const named = new Set<string>();
  for (const [name, { as, ...schedule }] of Object.entries(wanted)) {
    try {
      const options = optionsOf(schedule, basename(applying.file));
      const id = await applying.speaker(as, (client) => applyOne(client, name, options, applying));
      named.add(id);
    } catch (thrown) {
      throw failed(name, thrown);
    }
  }
  for (const one of applying.hub.schedules()) {
    if (named.has(one.schedule_id) || one.template.labels?.[FILE_LABEL] === undefined) continue;
    await applying.hub.deleteSchedule(one.schedule_id);
    applying.tell(one, 'deleted');
  }
}

function optionsOf(schedule: Omit<ScheduleConfig, 'as'>, file: string): ScheduleOptions {
  const { cron, zone, missed = 'skip', overlap = false, labels, ...session } = schedule;
  return {
    expression: cron,
    zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    missed,
    overlap,
    session: { ...session, labels: { ...labels, [FILE_LABEL]: file } },
  };
}

/** Whether it is paused is for whoever paused it. */
async function applyOne(
  client: AgentClient,
  name: string,
  options: ScheduleOptions,
  { tell }: Applying,
): Promise<string> {
  const before = await called(client, name);
  if (before === null) {
    const made = await client.schedule(name, options);
    tell(made, 'made');
    return made.schedule_id;
  }
  const isSame = isAsWanted(before, options);
  const now = isSame ? before : await client.updateSchedule(before.schedule_id, options);
  tell(now, isSame ? 'kept' : 'changed');
  return now.schedule_id;
}

async function called(client: AgentClient, name: string): Promise<Schedule | null> {
  for await (const one of client.schedules()) if (one.name === name) return one;
  return null;
}

function isAsWanted(before: Schedule, options: ScheduleOptions): boolean {
  const { template, expression, zone, missed, overlap } = scheduleParams(before.name, options);
  const { template: old, expression: when, zone: where, missed: lost, overlap: both } = before;
  // A template is JSON, but for members that are undefined, which are as if they were not there.
  return jsonEqual(
    plain({ old, when, where, lost, both }),
    plain({ old: template, when: expression, where: zone, lost: missed, both: overlap }),
  );
}

function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}
