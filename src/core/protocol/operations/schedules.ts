/** Operations on schedules: sessions created from a template at cron times. */

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
      /** Includes schedules of others; requires `operate`. */
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
  name: 'The name of the schedule.',
  template: 'The session to create, as in `create_session`.',
  expression: 'A cron expression of five or six fields.',
  zone: 'Its time zone, such as `Europe/Berlin`.',
  missed: 'After downtime: `skip` missed times, or run `once`.',
  overlap: 'Also run while the previous session is open.',
};

export const SCHEDULES: Operations<ScheduleOperations> = {
  create_schedule: operation({
    params: z.object({ name, template, expression, zone, missed: missed.optional(), overlap: overlap.optional() }),
    result: schedule,
    who: 'bound',
    errors: ['conflict', 'invalid_create', 'too_large', 'forbidden'],
    help: 'Create sessions from a template at the times of a cron expression in a time zone.',
    retry: 'never',
    about: MEMBERS,
  }),
  get_schedule: operation({
    params: ofSchedule,
    result: schedule,
    who: 'self',
    errors: ['not_found'],
    help: 'Read your schedule, or any with the grant `operate`: its next and last run.',
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
    help: 'List your schedules, or all with the grant `operate`, in pages.',
    retry: 'always',
    about: { all: 'Also schedules of others; requires `operate`.' },
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
    help: 'Change, pause or resume your schedule; members left out stay. The grant `operate` allows pausing any.',
    retry: 'never',
    about: { ...SCHEDULE_ID, ...MEMBERS, paused: 'Whether it is paused.' },
  }),
  delete_schedule: operation({
    params: ofSchedule,
    result: record<OfSchedule>({ schedule_id: generatedId }),
    who: 'self',
    errors: ['not_found'],
    help: 'Delete your schedule, or any with the grant `operate`; its sessions continue.',
    retry: 'never',
    about: SCHEDULE_ID,
  }),
};
