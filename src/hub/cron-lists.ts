/** Lists in cron expressions whose parts overlap, like 9-17,12 or 0,7, written out: the package refuses a value that comes twice. */

/** The least and the greatest value of each field, seconds first. */
const BOUNDS: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];
const MONTH = 4;
const WEEKDAY = 5;
const MONTHS: readonly string[] = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS: readonly string[] = 'sun mon tue wed thu fri sat'.split(' ');

/** The same times, with each value once. What is no list, or no good, stays as it is. */
export function withPlainLists(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  const first = BOUNDS.length - fields.length;
  return fields.map((field, i) => (field.includes(',') ? plainList(field, first + i) : field)).join(' ');
}

function plainList(field: string, at: number): string {
  const parts = field.split(',');
  if (parts.includes('*')) return '*';
  const all = new Set<string>();
  for (const part of parts) {
    // The last day, or the last of a weekday, is not a value beside the others.
    const values = /^\w{0,3}L$/.test(part) ? [plainLast(part, at)] : valuesOf(part, at);
    if (values === null) return field;
    for (const value of values) all.add(value);
  }
  return [...all].join(',');
}

function plainLast(part: string, at: number): string {
  const value = numberOf(part.slice(0, -1), at);
  return value === null ? part : `${at === WEEKDAY ? value % 7 : value}L`;
}

/** null = it is no good. */
function valuesOf(part: string, at: number): readonly string[] | null {
  const [range = '', step] = part.split('/');
  const [least, most] = BOUNDS[at] ?? [0, 0];
  const [low, high] = range === '*' ? [String(least), String(most)] : range.split('-');
  const from = numberOf(low ?? '', at);
  const to = high === undefined ? (step === undefined ? from : most) : numberOf(high, at);
  const by = step === undefined ? 1 : Number(step);
  if (from === null || to === null || from < least || to > most || from > to || !(by > 0)) return null;
  const values: string[] = [];
  for (let value = from; value <= to; value += by) values.push(String(at === WEEKDAY ? value % 7 : value));
  return values;
}

function numberOf(text: string, at: number): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const name = text.toLowerCase();
  const found = at === MONTH ? MONTHS.indexOf(name) : at === WEEKDAY ? WEEKDAYS.indexOf(name) : -1;
  if (found === -1) return null;
  return at === MONTH ? found + 1 : found;
}
