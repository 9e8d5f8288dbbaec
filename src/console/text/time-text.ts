/** Times as people read them: how long ago, how long yet, and at what time of day. Pure. */

const STEPS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** The two largest units: "3m 05s", "2d 4h"; under a second "0s". */
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

/** What is still to come: "in 20s", or since when it is over: "20s over". */
export function countdown(at: string, nowMs: number): { readonly text: string; readonly isOver: boolean } {
  const left = Date.parse(at) - nowMs;
  if (Number.isNaN(left)) return { text: '–', isOver: false };
  return left >= 0
    ? { text: `in ${duration(left)}`, isOver: false }
    : { text: `${duration(-left)} over`, isOver: true };
}

export function ago(at: string, nowMs: number): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? '–' : duration(nowMs - ms);
}

/** The time of day here, to the second; with the date unless it is today's. */
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

/** Dollars with as many digits as say something. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
