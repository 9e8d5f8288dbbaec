/**
 * Computes the times of a cron expression in a zone. A time that the clocks skip runs once, at the first instant after the gap; a
 * time that they show twice runs the first time only.
 */

import { invalidValueError } from '../../core/lib/json.ts';
import { instantOf, isZone, latestWallTime } from '../../core/lib/time.ts';
import type { ScheduleDefinition } from '../../core/records/work/schedule.ts';
import { checkExpression, cronAfter, cronUpTo, HORIZON_MS } from './cron.ts';

const ZONE = 'a time zone such as Europe/Berlin or UTC';
/** The last second of the year 9998, so that one more year is still a valid time. */
const LAST_MS = 253_370_764_799_000;

/** The first run after `afterMs`; null if none is within ten years. Throws if the expression or the zone is invalid. */
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

/** The first run after a time, for a checked expression. */
export function runAfter(expression: string, zone: string, afterMs: number): number | null {
  const wallMs = cronAfter(expression, latestWallTime(zone, afterMs));
  return wallMs === null ? null : instantOf(zone, wallMs);
}

/** The last run at or before a time, for a checked expression. */
export function runUpTo(expression: string, zone: string, ms: number): number | null {
  const wallMs = cronUpTo(expression, latestWallTime(zone, ms));
  return wallMs === null ? null : instantOf(zone, wallMs);
}

/** The time of a schedule to run or record now, and the times missed before it. */
export interface DueTime {
  readonly at_ms: number;
  /** False to record the time as missed. */
  readonly runs: boolean;
  /** The first of the missed times, or null. */
  readonly missed_since_ms: number | null;
}

/** Times run one by one while they are on time. If one is late, only the latest due time counts. */
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
