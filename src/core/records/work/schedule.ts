/** A schedule: a session template with a cron expression and its time zone. */

import type { WireCode } from '../../lib/errors.ts';
import type { SessionTemplate } from '../session/create-params.ts';

/** After downtime: skip the missed times, or start one run for the latest of them. */
export type MissedTimes = 'skip' | 'once';

export interface ScheduleClaim {
  /** Unique per creator. */
  readonly name: string;
  readonly template: SessionTemplate;
  readonly expression: string;
  readonly zone: string;
  readonly missed?: MissedTimes | undefined;
  /** Starts a run even if the session of the previous run is still open. */
  readonly overlap?: boolean | undefined;
}

/** Members left out stay unchanged. */
export type ScheduleChange = { readonly [Key in keyof ScheduleClaim]?: ScheduleClaim[Key] | undefined } & {
  /** A paused schedule starts no runs, and its times do not count as missed. */
  readonly paused?: boolean | undefined;
};

/** The definition as logged. */
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
  /** Only later times count: the latest of its creation, last change of times and last resume. */
  readonly counts_from: string;
}

/** opened · overlap: the previous session is still open · failed: could not be created · missed: the hub was down. */
export type RunOutcome = 'opened' | 'overlap' | 'failed' | 'missed';

/** The result of one scheduled time. */
export interface ScheduleRun {
  readonly scheduled_at: string;
  /** When the hub handled the scheduled time. */
  readonly at: string;
  readonly outcome: RunOutcome;
  readonly session_id: string | null;
  readonly error: { readonly code: WireCode; readonly message: string } | null;
  /** The first missed time before this run; null = none. */
  readonly missed_since: string | null;
}

export interface Schedule extends ScheduleDefinition {
  /** null if paused, or if no time lies within ten years. */
  readonly next_run_at: string | null;
  readonly last_run: ScheduleRun | null;
}

/** The idempotency key of a run: each scheduled time opens one session. */
export function runKey(scheduleId: string, scheduledAt: string): string {
  return `schedule:${scheduleId}:${scheduledAt}`;
}
