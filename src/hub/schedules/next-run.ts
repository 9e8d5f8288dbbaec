/**
 * When a cron expression comes next in a zone. A time the clocks skip happens at the first instant after the gap, several of
 * them once; a time they show twice happens the first time.
 */

import { badValue } from '../../core/lib/json.ts';
import { instantOf, isZone, wallReached } from '../../core/lib/time.ts';
import { checkExpression, cronAfter, cronUpTo, HORIZON_MS } from './cron.ts';

export const ZONE = 'a time zone such as Europe/Berlin or UTC';
/** The last second of the year 9998: a year of it is still a time. */
const LAST_MS = 253_370_764_799_000;

/** The first run after `afterMs`; null = none within ten years. Throws what says what is wrong with expression or zone. */
export function nextRun(expression: string, zone: string, afterMs: number): number | null {
  checkTiming(expression, zone);
  if (typeof afterMs !== 'number' || !(afterMs >= 0 && afterMs <= LAST_MS - HORIZON_MS)) {
    throw badValue('afterMs', 'milliseconds since 1970, before the year 9989', afterMs);
  }
  return runAfter(expression, zone, afterMs);
}

export function checkTiming(expression: unknown, zone: unknown, where = ''): void {
  checkExpression(expression, `${where}expression`);
  if (!isZone(zone)) throw badValue(`${where}zone`, ZONE, zone);
}

/** Of what was checked: the first run after a time. */
export function runAfter(expression: string, zone: string, afterMs: number): number | null {
  const wallMs = cronAfter(expression, wallReached(zone, afterMs));
  return wallMs === null ? null : instantOf(zone, wallMs);
}

/** Of what was checked: the last run at or before a time. */
export function runUpTo(expression: string, zone: string, ms: number): number | null {
  const wallMs = cronUpTo(expression, wallReached(zone, ms));
  return wallMs === null ? null : instantOf(zone, wallMs);
}
