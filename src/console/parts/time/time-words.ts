/** Spans of time in words: how long ago, and how long there is left. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `5 s`, `3 min`, `2 h 5 min`, `4 d 3 h`: the two greatest units, of long spans one. */
export function spanWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  if (whole < DAY) return two(whole, HOUR, 'h', MINUTE, 'min');
  return whole < 10 * DAY ? two(whole, DAY, 'd', HOUR, 'h') : `${Math.floor(whole / DAY)} d`;
}

function two(whole: number, great: number, greatUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((whole % great) / small);
  return `${Math.floor(whole / great)} ${greatUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`;
}

/** Clocks of two machines differ by a little: what is just ahead is now. */
const SKEW_S = 5;

export function agoWords(atMs: number, nowMs: number): string {
  const seconds = (nowMs - atMs) / 1000;
  if (Number.isNaN(seconds)) return 'at an unknown time';
  if (seconds < -SKEW_S) return `in ${spanWords(-seconds)}`;
  return seconds < 1 ? 'now' : `${spanWords(seconds)} ago`;
}

export type Urgency = 'calm' | 'soon' | 'over';

export interface CountdownNow {
  readonly text: string;
  readonly urgency: Urgency;
}

/** Below this it is soon. */
const SOON_S = 30;

/** Under an hour as a clock (`4:05`), above in words; behind the deadline how late it is. Rounded up: 0:00 is over. */
export function countdown(dueMs: number, nowMs: number): CountdownNow {
  const left = (dueMs - nowMs) / 1000;
  if (Number.isNaN(left)) return { text: 'no time', urgency: 'calm' };
  if (left <= 0) return { text: left > -1 ? 'due' : `${spanWords(-left)} late`, urgency: 'over' };
  const urgency = left <= SOON_S ? 'soon' : 'calm';
  const whole = Math.ceil(left);
  if (whole >= HOUR) return { text: spanWords(whole), urgency };
  return { text: `${Math.floor(whole / MINUTE)}:${String(whole % MINUTE).padStart(2, '0')}`, urgency };
}
