/** The schemas of schedules: what is asked for, and what one is. */

import { z } from 'zod';
import { sessionTemplate } from './records/session/create-schema.ts';
import { WIRE_CODES, type WireCode } from './lib/errors.ts';
import type { Params } from './operations.ts';
import { madeId, sessionId, time } from './records/session/record-schemas.ts';
import type { MissedTimes, RunOutcome, Schedule, ScheduleRun } from './records/work/schedule.ts';
import { oneOf, record, text, whole, words } from './lib/schema.ts';

const name = words(64);
const expression = text(256);
const zone = text(64);
const missed = oneOf<MissedTimes>({ skip: 1, once: 1 }, 'skip or once');
const flag = z.boolean({ error: 'true or false' });
const scheduleId = z.string({ error: 'a schedule id' }).regex(/^[0-9a-f]{32}$/, 'a schedule id of 32 hex digits');

export const createScheduleParams: z.ZodType<Params<'create_schedule'>> = z.object({
  name,
  template: sessionTemplate,
  expression,
  zone,
  missed: missed.optional(),
  overlap: flag.optional(),
});

export const updateScheduleParams: z.ZodType<Params<'update_schedule'>> = z.object({
  schedule_id: scheduleId,
  name: name.optional(),
  template: sessionTemplate.optional(),
  expression: expression.optional(),
  zone: zone.optional(),
  missed: missed.optional(),
  overlap: flag.optional(),
  paused: flag.optional(),
});

export const aboutScheduleParams: z.ZodType<Params<'get_schedule'>> = z.object({ schedule_id: scheduleId });

export const listSchedulesParams: z.ZodType<Params<'list_schedules'>> = z.object({
  all: flag.optional(),
  after: scheduleId.optional(),
  limit: whole(1, 1000).optional(),
});

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
  schedule_id: madeId,
  creator_id: madeId,
  name,
  template: sessionTemplate,
  expression,
  zone,
  missed,
  overlap: flag,
  paused: flag,
  created_at: time,
  updated_at: time,
  counts_from: time,
  next_run_at: time.nullable(),
  last_run: scheduleRun.nullable(),
});
