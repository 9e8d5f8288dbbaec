/** How a schedule is asked for, in the caller's words. */

import { badValue } from '../core/lib/json.ts';
import type { Params } from '../core/operations.ts';
import type { MissedTimes, SessionTemplate } from '../core/records/work/schedule.ts';
import { checkOptions, isObject, type Rule, type Rules } from './lib/option-checks.ts';
import { creation, type OpenOptions } from './open.ts';

/** The session each run opens: its type, and what `open` takes. */
export interface ScheduledSession extends Omit<OpenOptions, 'deadlineMs' | 'parentSessionId' | 'key' | 'wait'> {
  readonly type: string;
}

export interface ScheduleOptions {
  /** A cron expression: minute hour day month weekday, or with seconds first. */
  readonly expression: string;
  /** Whose clocks it means, such as Europe/Berlin. */
  readonly zone: string;
  readonly session: ScheduledSession;
  /** Of times at which the hub did not run: none is made up for (default), or the latest, once. */
  readonly missed?: MissedTimes | undefined;
  /** Open also while the session before has not ended. */
  readonly overlap?: boolean | undefined;
}

/** What is left out stays. */
export type ScheduleUpdate = Partial<ScheduleOptions> & {
  readonly name?: string | undefined;
  /** Nothing is opened while it is paused. */
  readonly paused?: boolean | undefined;
};

export interface ScheduleQuery {
  /** Also those of others: with the grant `operate`. */
  readonly all?: boolean | undefined;
}

const session: Rule = { expected: 'an object with type and participants', holds: isObject };
const SCHEDULE_OPTIONS: Rules<ScheduleOptions> = {
  expression: null,
  zone: null,
  session,
  missed: null,
  overlap: null,
};
const SCHEDULE_UPDATE: Rules<ScheduleUpdate> = { ...SCHEDULE_OPTIONS, session: null, name: null, paused: null };
const SCHEDULE_QUERY: Rules<ScheduleQuery> = { all: null };
/** A schedule has no parent, and makes its own keys. */
const NOT_IN_A_TEMPLATE = ['deadlineMs', 'parentSessionId', 'key', 'wait'];

export function scheduleParams(name: string, options: ScheduleOptions): Params<'create_schedule'> {
  checkOptions(options, SCHEDULE_OPTIONS);
  const { session: wanted, ...rest } = options;
  return { name, ...rest, template: templateOf(wanted) };
}

export function updateParams(schedule_id: string, update: ScheduleUpdate): Params<'update_schedule'> {
  checkOptions(update, SCHEDULE_UPDATE);
  const { session: wanted, ...rest } = update;
  return { schedule_id, ...rest, ...(wanted === undefined ? {} : { template: templateOf(wanted) }) };
}

export function checkScheduleQuery(query: ScheduleQuery): void {
  checkOptions(query, SCHEDULE_QUERY);
}

function templateOf(wanted: ScheduledSession): SessionTemplate {
  if (!isObject(wanted)) throw badValue('session', session.expected, wanted);
  const { type, ...options } = wanted;
  const odd = NOT_IN_A_TEMPLATE.find((name) => Object.hasOwn(options, name));
  if (odd !== undefined) throw badValue(`session.${odd}`, 'an option that a scheduled session has', odd);
  const {
    parent_session_id: _parent,
    idempotency_key: _key,
    wait: _wait,
    ...template
  } = creation(type, options).params;
  return template;
}
