/** Times, durations and time zones. The only file of core that may use Date. */

import { invalidValueError } from './json.ts';

let lastMs = Number.NaN;
let lastIso = '';

/** Caches the last result: under load many envelopes share one millisecond. */
export function isoFromMs(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastIso;
}

export function msFromIso(iso: string): number {
  return iso === lastIso ? lastMs : Date.parse(iso);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses an HTTP date (`Sun, 06 Nov 1994 08:49:37 GMT`); NaN for anything else. */
export function msFromHttpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/** The end of the year 9999; ISO-8601 writes later times differently. */
const MAX_TIME_MS = 253_402_300_799_999;

export function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_TIME_MS;
}

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** A century, so that every deadline keeps a four-digit ISO-8601 year. */
export const MAX_DURATION_MS: number = 36_500 * 86_400_000;

export const DURATION = 'a duration such as 30s, 15m, 2h, 1d or seconds (at most 36500d)';

/** Converts `30s 15m 2h 1d` or plain seconds to milliseconds; 0 = off. Throws an error that names the field. */
export function durationMs(value: unknown, field: string): number {
  const ms = typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? value * 1000 : null;
  if (ms === null || !(ms >= 0 && ms <= MAX_DURATION_MS)) throw invalidValueError(field, DURATION, value);
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

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

const DAY_MS = 86_400_000;

/** Wall time and UTC differ by at most 15 hours, so offset changes further away do not matter. */
const NEAR_MS = 2 * DAY_MS;

/** Cache limit: a hub uses only a few of about 600 zones. */
const MAX_FORMATS = 64;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Accepts named zones only: fixed offsets ignore daylight saving time. */
export function isZone(name: unknown): name is string {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The offset of a zone from UTC. */
function offsetMs(zone: string, ms: number): number {
  const match = OFFSET.exec(formatOf(zone).format(ms));
  if (match === null) throw new RangeError(`the offset of ${zone} at ${ms} is unknown`);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = match;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}

/** The first instant with this wall time; a skipped wall time maps to the first instant after the gap. */
export function instantOf(zone: string, wallMs: number): number {
  const before = offsetMs(zone, wallMs - DAY_MS);
  const after = offsetMs(zone, wallMs + DAY_MS);
  if (before === after) return wallMs - before;
  const change = changeBetween(zone, wallMs - DAY_MS, wallMs + DAY_MS);
  if (wallMs - before < change) return wallMs - before;
  return Math.max(change, wallMs - after);
}

/** The latest wall time whose instant is not after `ms`. */
export function latestWallTime(zone: string, ms: number): number {
  const before = offsetMs(zone, ms - NEAR_MS);
  if (before === offsetMs(zone, ms + NEAR_MS)) return ms + before;
  let reached = ms - NEAR_MS;
  let ahead = ms + NEAR_MS;
  while (ahead - reached > 1) {
    const middle = Math.floor((reached + ahead) / 2);
    if (instantOf(zone, middle) <= ms) reached = middle;
    else ahead = middle;
  }
  return reached;
}

/** Binary search for the first instant with the later offset. */
function changeBetween(zone: string, from: number, to: number): number {
  const later = offsetMs(zone, to);
  let before = from;
  let change = to;
  while (change - before > 1) {
    const middle = Math.floor((before + change) / 2);
    if (offsetMs(zone, middle) === later) change = middle;
    else before = middle;
  }
  return change;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}
