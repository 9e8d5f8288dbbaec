/** Sessions that are opened again and again: a template, a cron expression, and the zone whose clocks it means. */

import type { WireCode } from '../../lib/errors.ts';
import type { SessionTemplate } from '../session/create-params.ts';

/** Of times at which the hub did not run: none is made up for, or the latest, once. */
export type MissedTimes = 'skip' | 'once';

export interface ScheduleClaim {
  /** Unique among those of its creator. */
  readonly name: string;
  readonly template: SessionTemplate;
  readonly expression: string;
  readonly zone: string;
  readonly missed?: MissedTimes | undefined;
  /** Opens also while the session of the run before has not ended. */
  readonly overlap?: boolean | undefined;
}

/** What is left out stays. */
export type ScheduleChange = { readonly [Key in keyof ScheduleClaim]?: ScheduleClaim[Key] | undefined } & {
  /** Nothing is opened while it is paused, and those times are not missed. */
  readonly paused?: boolean | undefined;
};

/** As it is written in the log. */
export interface ScheduleDefinition {
  readonly schedule_id: string;
  readonly creator_id: string;
  readonly name: string;
  readonly template: SessionTemplate;
  readonly expression: string;
  readonly zone: string;
  readonly missed: MissedTimes;
  readonly overlap: boolean;
  readonly paused: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  /** Only later times count: when it was made, got other times, or was resumed. */
  readonly counts_from: string;
}

/** opened · overlap: the session before has not ended · failed: it could not be opened · missed: the hub did not run. */
export type RunOutcome = 'opened' | 'overlap' | 'failed' | 'missed';

/** What became of a scheduled time. */
export interface ScheduleRun {
  readonly scheduled_at: string;
  /** When it was looked at. */
  readonly at: string;
  readonly outcome: RunOutcome;
  readonly session_id: string | null;
  readonly error: { readonly code: WireCode; readonly message: string } | null;
  /** The first of the times before it that were missed; null = none was. */
  readonly missed_since: string | null;
}

export interface Schedule extends ScheduleDefinition {
  /** null = it is paused, or has none within ten years. */
  readonly next_run_at: string | null;
  readonly last_run: ScheduleRun | null;
}

/** The idempotency key under which the session of a scheduled time is created: the same time opens once. */
export function runKey(scheduleId: string, scheduledAt: string): string {
  return `schedule:${scheduleId}:${scheduledAt}`;
}
