/** Which time of a schedule is to be dealt with now, and which were missed. */

import type { ScheduleDefinition } from '../core/records/work/schedule.ts';
import { runAfter, runUpTo } from './schedules/next-run.ts';

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
