/** Envelope ids: time-ordered, 32 hex digits, strictly increasing; the time in the id is the envelope's time. */

import { isoFromMs } from './time.ts';

export interface Stamp {
  readonly envelope_id: string;
  readonly created_at: string;
}

const MS_DIGITS = 12;
const COUNT_DIGITS = 5;
const MAX_COUNT = 0xfffff;

/**
 * The next stamp: never before the clock, never before or equal to `last` (the greatest id given out by this node or
 * found in the session). `random` is 32 hex digits, of which the tail is used.
 */
export function nextStamp(nowMs: number, last: string | null, random: string): Stamp {
  const lastMs = last === null ? 0 : stampMs(last);
  let ms = Math.max(Math.floor(nowMs), lastMs);
  let count = last !== null && ms === lastMs ? stampCount(last) + 1 : 0;
  if (count > MAX_COUNT) {
    ms += 1;
    count = 0;
  }
  const tail = random.slice(MS_DIGITS + COUNT_DIGITS);
  return { envelope_id: hex(ms, MS_DIGITS) + hex(count, COUNT_DIGITS) + tail, created_at: isoFromMs(ms) };
}

export function stampMs(envelopeId: string): number {
  return Number.parseInt(envelopeId.slice(0, MS_DIGITS), 16);
}

/** The later of two ids; null is before everything. */
export function laterId(a: string | null, b: string | null): string | null {
  if (a === null) return b;
  return b === null || a > b ? a : b;
}

function stampCount(envelopeId: string): number {
  return Number.parseInt(envelopeId.slice(MS_DIGITS, MS_DIGITS + COUNT_DIGITS), 16);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
