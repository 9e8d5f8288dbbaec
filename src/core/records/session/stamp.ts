/** Envelope ids: 32 hex digits in strictly increasing time order; they contain the envelope's time. */

import { isoFromMs } from '../../lib/time.ts';

export interface Stamp {
  readonly envelope_id: string;
  readonly created_at: string;
}

const MS_DIGITS = 12;
const COUNT_DIGITS = 5;
const MAX_COUNT = 0xfffff;

/** The next stamp, never before the clock and always after `last` (the greatest known id). Uses the tail of `random`
 * (32 hex digits). */
export function nextStamp(nowMs: number, last: string | null, random: string): Stamp {
  const beforeMs = last === null ? 0 : last === lastId ? lastMs : stampMs(last);
  let ms = Math.max(Math.floor(nowMs), beforeMs);
  let count = last !== null && ms === beforeMs ? countOf(last) + 1 : 0;
  if (count > MAX_COUNT) {
    ms += 1;
    count = 0;
  }
  const envelope_id = prefixOf(ms, count >> 8) + lastDigits(count) + tailOf(random);
  lastId = envelope_id;
  lastMs = ms;
  lastCount = count;
  return { envelope_id, created_at: isoFromMs(ms) };
}

export function stampMs(envelopeId: string): number {
  return Number.parseInt(envelopeId.slice(0, MS_DIGITS), 16);
}

/** The later of two ids; null is before everything. */
export function laterId(a: string | null, b: string | null): string | null {
  if (a === null) return b;
  return b === null || a > b ? a : b;
}

/** A cache: the next stamp usually follows the last one. */
let lastId: string | null = null;
let lastMs = 0;
let lastCount = -1;
let prefixMs = Number.NaN;
let prefixCount = 0;
let prefix = '';
let tailRandom = '';
let tail = '';

/** The counter of the id within its millisecond. */
function countOf(envelopeId: string): number {
  if (envelopeId === lastId) return lastCount;
  return Number.parseInt(envelopeId.slice(MS_DIGITS, MS_DIGITS + COUNT_DIGITS), 16);
}

/** All digits of time and counter except the last two. */
function prefixOf(ms: number, count: number): string {
  if (ms !== prefixMs || count !== prefixCount) {
    prefix = hex(ms, MS_DIGITS) + hex(count, COUNT_DIGITS - 2);
    prefixMs = ms;
    prefixCount = count;
  }
  return prefix;
}

function lastDigits(count: number): string {
  return TWO_DIGITS[count & 0xff] ?? '';
}

function tailOf(random: string): string {
  if (random !== tailRandom) {
    tail = random.slice(MS_DIGITS + COUNT_DIGITS);
    tailRandom = random;
  }
  return tail;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

const TWO_DIGITS: readonly string[] = Array.from({ length: 256 }, (_, value) => hex(value, 2));
