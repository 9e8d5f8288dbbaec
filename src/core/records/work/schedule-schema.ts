/** Schemas of schedules. */

import { z } from 'zod';
import { WIRE_CODES, type WireCode } from '../../lib/errors.ts';
import { nonBlankText, oneOf, record, text } from '../../lib/schema.ts';
import { generatedId, sessionId, time } from '../fields.ts';
import { sessionTemplate } from '../session/create-schema.ts';
import type { MissedTimes, RunOutcome, Schedule, ScheduleClaim, ScheduleDefinition, ScheduleRun } from './schedule.ts';

const flag = z.boolean({ error: 'true or false' });

export const scheduleMembers: {
  readonly [Key in keyof Required<ScheduleClaim>]: z.ZodType<NonNullable<ScheduleClaim[Key]>>;
} = {
  name: nonBlankText(64),
  template: sessionTemplate,
  expression: text(256),
  zone: text(64),
  missed: oneOf<MissedTimes>({ skip: 1, once: 1 }, 'skip or once'),
  overlap: flag,
};

const scheduleRun = record<ScheduleRun>({
  scheduled_at: time,
  at: time,
  outcome: oneOf<RunOutcome>({ opened: 1, overlap: 1, failed: 1, missed: 1 }),
  session_id: sessionId.nullable(),
  error: record<NonNullable<ScheduleRun['error']>>({
    code: oneOf<WireCode>(WIRE_CODES),
    message: z.string(),
  }).nullable(),
  missed_since: time.nullable(),
});

export const schedule: z.ZodType<Schedule> = record<Schedule>({
  schedule_id: generatedId,
  creator_id: generatedId,
  ...scheduleMembers,
  paused: flag,
  created_at: time,
  updated_at: time,
  counts_from: time,
  next_run_at: time.nullable(),
  last_run: scheduleRun.nullable(),
});

/** Labels of a scheduled session, in addition to those of the template. */
export function runLabels(
  { name, schedule_id }: Pick<ScheduleDefinition, 'name' | 'schedule_id'>,
  scheduled_at: string,
): Readonly<Record<string, string>> {
  return { schedule: name, schedule_id, scheduled_at };
}
