/** Milliseconds and ISO-8601 text. The only file of the pure layers that may name Date. */

import { badValue } from './lib/json.ts';

let lastMs = Number.NaN;
let lastIso = '';

/** The last text is kept: under load many envelopes are stamped within one millisecond. */
export function isoFromMs(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

export function msFromIso(iso: string): number {
  // Most often asked of the text that was just made.
  return iso === lastIso ? lastMs : Date.parse(iso);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A date as HTTP headers write it (`Sun, 06 Nov 1994 08:49:37 GMT`); NaN for anything else. */
export function msFromHttpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/** The end of the year 9999: what comes later ISO-8601 writes otherwise. */
const MAX_TIME_MS = 253_402_300_799_999;

/** Milliseconds that can be written as a time. */
export function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_TIME_MS;
}

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** A century: every deadline made of it still is a time that ISO-8601 writes in the usual width. */
export const MAX_DURATION_MS: number = 36_500 * 86_400_000;

export const DURATION = 'a duration such as 30s, 15m, 2h, 1d or seconds (at most 36500d)';

/** `30s 15m 2h 1d` or plain seconds → milliseconds; 0 = off. Anything else is an error that names the field. */
export function durationMs(value: unknown, field: string): number {
  const ms = typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? value * 1000 : null;
  if (ms === null || !(ms >= 0 && ms <= MAX_DURATION_MS)) throw badValue(field, DURATION, value);
  return ms;
}

export function isDuration(value: unknown): value is string | number {
  try {
    durationMs(value, 'duration');
    return true;
  } catch {
    return false;
  }
}

function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text);
  return match === null ? null : Number(match[1]) * (UNIT_SECONDS.get(match[2] ?? '') ?? 1) * 1000;
}
