/** Schedules: sessions opened from a template at the times of a cron expression. */

import { z } from 'zod';
import { record } from '../../lib/schema.ts';
import { GENERATED_ID, generatedId } from '../../records/fields.ts';
import type { Schedule, ScheduleChange, ScheduleClaim } from '../../records/work/schedule.ts';
import { schedule, scheduleMembers } from '../../records/work/schedule-schema.ts';
import { flag, limit, operation } from './define-operation.ts';
import type { Operations } from './operation.ts';

interface OfSchedule {
  readonly schedule_id: string;
}

export interface ScheduleOperations {
  create_schedule: { params: ScheduleClaim; result: Schedule };
  get_schedule: { params: OfSchedule; result: Schedule };
  list_schedules: {
    params: {
      /** Also those of others: with the grant `operate`. */
      readonly all?: boolean | undefined;
      readonly after?: string | undefined;
      readonly limit?: number | undefined;
    };
    result: { readonly schedules: readonly Schedule[]; readonly next: string | null };
  };
  update_schedule: { params: OfSchedule & ScheduleChange; result: Schedule };
  delete_schedule: { params: OfSchedule; result: OfSchedule };
}

const scheduleId = z.string({ error: 'a schedule id' }).regex(GENERATED_ID, 'a schedule id of 32 hex digits');
const ofSchedule: z.ZodType<OfSchedule> = z.object({ schedule_id: scheduleId });
const { name, template, expression, zone, missed, overlap } = scheduleMembers;

const SCHEDULE_ID = { schedule_id: 'The schedule.' };
const MEMBERS = {
  name: 'What you call it.',
  template: 'What to open: as in `create_session`.',
  expression: 'Cron, in five or six fields.',
  zone: 'The time zone it is meant in, such as `Europe/Berlin`.',
  missed: 'What of times that passed while the hub was down: nothing, or one run.',
  overlap: 'Open one also while the one before is under way.',
};

export const SCHEDULES: Operations<ScheduleOperations> = {
  create_schedule: operation({
    params: z.object({ name, template, expression, zone, missed: missed.optional(), overlap: overlap.optional() }),
    result: schedule,
    who: 'bound',
    errors: ['conflict', 'invalid_create', 'too_large', 'forbidden'],
    help: 'Open a session from a template at the times of a cron expression in a time zone.',
    retry: 'never',
    about: MEMBERS,
  }),
  get_schedule: operation({
    params: ofSchedule,
    result: schedule,
    who: 'self',
    errors: ['not_found'],
    help: 'A schedule of yours, or with the grant `operate` any: when it runs next, and how it last went.',
    retry: 'always',
    about: SCHEDULE_ID,
  }),
  list_schedules: operation({
    params: z.object({ all: flag, after: scheduleId.optional(), limit }),
    result: record<ScheduleOperations['list_schedules']['result']>({
      schedules: z.array(schedule),
      next: generatedId.nullable(),
    }),
    who: 'self',
    errors: ['forbidden'],
    help: 'Your schedules, or with the grant `operate` all, a page at a time.',
    retry: 'always',
    about: { all: 'Also those of others; takes the grant `operate`.' },
  }),
  update_schedule: operation({
    params: z.object({
      schedule_id: scheduleId,
      name: name.optional(),
      template: template.optional(),
      expression: expression.optional(),
      zone: zone.optional(),
      missed: missed.optional(),
      overlap: overlap.optional(),
      paused: flag,
    }),
    result: schedule,
    who: 'self',
    errors: ['not_found', 'conflict', 'invalid_create', 'too_large', 'forbidden'],
    help: 'Change, pause or resume a schedule of yours; what is left out stays. With the grant `operate` any can be paused.',
    retry: 'never',
    about: { ...SCHEDULE_ID, ...MEMBERS, paused: 'Whether it rests.' },
  }),
  delete_schedule: operation({
    params: ofSchedule,
    result: record<OfSchedule>({ schedule_id: generatedId }),
    who: 'self',
    errors: ['not_found'],
    help: 'End a schedule of yours, or with the grant `operate` any; sessions it opened go on.',
    retry: 'never',
    about: SCHEDULE_ID,
  }),
};
