/** The clocks of a zone, minute by minute, from Intl: an independent model for `nextRun`. */

const HALF_HOUR = 30 * 60_000;
const MINUTE = 60_000;
const FROM = Date.UTC(2024, 0, 1);
const TO = Date.UTC(2034, 0, 1);

const tables = new Map<string, Int32Array>();

/** Minutes ahead of UTC, for each half hour of ten years; clocks change on the half hour or the hour. */
function tableOf(zone: string): Int32Array {
  const known = tables.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const table = new Int32Array((TO - FROM) / HALF_HOUR);
  for (let i = 0; i < table.length; i++) {
    const ms = FROM + i * HALF_HOUR;
    // 31/12/2026, 23:59
    const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = format.format(ms).split(/\D+/).map(Number);
    table[i] = (Date.UTC(year, month - 1, day, hour, minute) - ms) / MINUTE;
  }
  tables.set(zone, table);
  return table;
}

/** True if a wall minute, written as if it were UTC, matches the expression. */
export type Matches = (wallMs: number) => boolean;

/** Every run from `fromMs` (exclusive) to `toMs`, at most `most`, found by trying each minute. */
export function runsByLooking(matches: Matches, zone: string, fromMs: number, toMs: number, most: number): number[] {
  const table = tableOf(zone);
  const wallAt = (ms: number): number => ms + (table[Math.floor((ms - FROM) / HALF_HOUR)] ?? 0) * MINUTE;
  const runs: number[] = [];
  // Start a day earlier, to know what the clocks have shown already.
  const begin = Math.floor(fromMs / MINUTE) * MINUTE - 86_400_000;
  let shown = wallAt(begin - MINUTE);
  for (let ms = begin; ms <= toMs && runs.length < most; ms += MINUTE) {
    const wall = wallAt(ms);
    let isRun = false;
    // A skipped time runs now, with what the clocks show now.
    for (let w = shown + MINUTE; w <= wall; w += MINUTE) isRun ||= matches(w);
    shown = Math.max(shown, wall);
    if (isRun && ms > fromMs) runs.push(ms);
  }
  return runs;
}
