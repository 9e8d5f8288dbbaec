/**
 * When a cron expression comes next in a zone. A time the clocks skip happens at the first instant after the gap, several of
 * them once; a time they show twice happens the first time.
 */

import { invalidValueError } from '../../core/lib/json.ts';
import { instantOf, isZone, latestWallTime } from '../../core/lib/time.ts';
import type { ScheduleDefinition } from '../../core/records/work/schedule.ts';
import { checkExpression, cronAfter, cronUpTo, HORIZON_MS } from './cron.ts';

export const ZONE = 'a time zone such as Europe/Berlin or UTC';
/** The last second of the year 9998: a year of it is still a time. */
const LAST_MS = 253_370_764_799_000;

/** The first run after `afterMs`; null = none within ten years. Throws what says what is wrong with expression or zone. */
export function nextRun(expression: string, zone: string, afterMs: number): number | null {
  checkTiming(expression, zone);
  if (typeof afterMs !== 'number' || !(afterMs >= 0 && afterMs <= LAST_MS - HORIZON_MS)) {
    throw invalidValueError('afterMs', 'milliseconds since 1970, before the year 9989', afterMs);
  }
  return runAfter(expression, zone, afterMs);
}

export function checkTiming(expression: unknown, zone: unknown, where = ''): void {
  checkExpression(expression, `${where}expression`);
  if (!isZone(zone)) throw invalidValueError(`${where}zone`, ZONE, zone);
}

/** Of what was checked: the first run after a time. */
export function runAfter(expression: string, zone: string, afterMs: number): number | null {
  const wallMs = cronAfter(expression, latestWallTime(zone, afterMs));
  return wallMs === null ? null : instantOf(zone, wallMs);
}

/** Of what was checked: the last run at or before a time. */
export function runUpTo(expression: string, zone: string, ms: number): number | null {
  const wallMs = cronUpTo(expression, latestWallTime(zone, ms));
  return wallMs === null ? null : instantOf(zone, wallMs);
}

/** Which time of a schedule is to be dealt with now, and which were missed. */
export interface DueTime {
  readonly at_ms: number;
  /** False = it is only recorded as missed. */
  readonly runs: boolean;
  /** The first of the times before it that were missed. */
  readonly missed_since_ms: number | null;
}

/** Times come one by one as long as they are seen in time. If one is not, only the latest of all that have come counts. */
export function dueTime(
  { expression, zone, missed }: ScheduleDefinition,
  afterMs: number,
  nowMs: number,
  lateMs: number,
): DueTime | null {
  const first = runAfter(expression, zone, afterMs);
  if (first === null || first > nowMs) return null;
  if (nowMs - first <= lateMs) return { at_ms: first, runs: true, missed_since_ms: null };
  const latest = runUpTo(expression, zone, nowMs) ?? first;
  const runs = missed === 'once' || nowMs - latest <= lateMs;
  return { at_ms: latest, runs, missed_since_ms: runs && latest === first ? null : first };
}
