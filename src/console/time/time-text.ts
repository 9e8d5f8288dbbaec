/** Formats durations and times. Pure. */

const STEPS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** The two largest units: "3m 5s", "2d 4h"; under a second "0s". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const at = STEPS.findIndex(([size]) => seconds >= size);
  const [size, unit] = STEPS[at] ?? [1, 's'];
  const next = STEPS[at + 1];
  const whole = `${Math.floor(seconds / size)}${unit}`;
  if (at === -1 || next === undefined) return whole;
  const rest = Math.floor((seconds % size) / next[0]);
  return rest === 0 ? whole : `${whole} ${rest}${next[1]}`;
}

interface CountdownNow {
  readonly text: string;
  readonly urgency: 'calm' | 'soon' | 'over';
}

const SOON_MS = 30_000;

/** The time left ("in 20s", rounded up), or the time since ("20s over"). */
export function countdown(at: string, nowMs: number): CountdownNow {
  const left = Date.parse(at) - nowMs;
  if (Number.isNaN(left)) return { text: '–', urgency: 'calm' };
  if (left <= 0) return { text: `${duration(-left)} over`, urgency: 'over' };
  return { text: `in ${duration(Math.ceil(left / 1000) * 1000)}`, urgency: left <= SOON_MS ? 'soon' : 'calm' };
}

/** The duration from `at` until now. */
export function since(at: string, nowMs: number): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? '–' : duration(nowMs - ms);
}

/** Clocks of two machines differ: a time at most this far ahead counts as now. */
const SKEW_MS = 5000;

export function ago(at: string, nowMs: number): string {
  const ms = nowMs - Date.parse(at);
  if (Number.isNaN(ms)) return 'at an unknown time';
  if (ms < -SKEW_MS) return `in ${duration(-ms)}`;
  return ms < 1000 ? 'now' : `${duration(ms)} ago`;
}

/** The local time of day, with the date unless it is today. */
export function clockTime(at: string, nowMs: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '–';
  const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits);
  const isToday = time.toDateString() === new Date(nowMs).toDateString();
  const day = isToday ? '' : `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())} `;
  return `${day}${hours}:${minutes}:${seconds}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
