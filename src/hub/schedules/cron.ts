/** Validates cron expressions and finds their times on a wall clock without time zones. */

import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { invalidValueError } from '../../core/lib/json.ts';

const EXPRESSION =
  'a cron expression of 5 fields (minute hour day month weekday), of 6 (with seconds first), or @hourly, @daily, @weekly, @monthly, @yearly';
/** An expression without a time within this span counts as never. */
export const HORIZON_MS: number = 10 * 366 * 86_400_000;

const MAX_CHARACTERS = 256;
const NICKNAME = /^@(?:hourly|daily|weekly|monthly|yearly)$/;
const VALUE = '(?:\\d{1,2}|[A-Za-z]{3})';
/** Stricter than the package, which also accepts `5*`, missing fields and random fields. */
const ATOM = `(?:\\*|${VALUE}(?:-${VALUE})?)(?:/\\d{1,2})?`;
const PLAIN = listOf(ATOM);
/** L is the last day of the month. */
const DAY = new RegExp(`^\\?$|${listOf(`${ATOM}|L`).source}`);
/** 5L is the last Friday of the month, 5#2 the second. */
const WEEKDAY = new RegExp(`^\\?$|^${VALUE}#[1-5]$|${listOf(`${ATOM}|(?:[0-7]|[A-Za-z]{3})L`).source}`);

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const COMMON = 'ranges upwards (1-5), steps (*/15) and lists (1,3,5)';
const numbers = (least: number, most: number): string => `numbers from ${least} to ${most}`;

/** The fields of an expression with seconds: name, values, pattern, and what an error says it accepts. */
const FIELDS = [
  { name: 'second', least: 0, most: 59, pattern: PLAIN, takes: `*, ${numbers(0, 59)}, ${COMMON}` },
  { name: 'minute', least: 0, most: 59, pattern: PLAIN, takes: `*, ${numbers(0, 59)}, ${COMMON}` },
  { name: 'hour', least: 0, most: 23, pattern: PLAIN, takes: `*, ${numbers(0, 23)}, ${COMMON}` },
  {
    ...{ name: 'day', least: 1, most: 31, pattern: DAY },
    takes: `*, ?, ${numbers(1, 31)}, L (the last day of the month), ${COMMON}`,
  },
  { name: 'month', least: 1, most: 12, pattern: PLAIN, takes: `*, ${numbers(1, 12)}, names (jan), ${COMMON}` },
  {
    ...{ name: 'weekday', least: 0, most: 7, pattern: WEEKDAY },
    takes: `*, ?, ${numbers(0, 7)}, names (mon), 5L (the last Friday of the month), ${COMMON}, or 5#2 (the second Friday) alone`,
  },
] as const;

/** Rejects an invalid expression. A valid one may still have no time at all. */
export function checkExpression(expression: unknown, field: string): asserts expression is string {
  if (typeof expression !== 'string' || expression.length > MAX_CHARACTERS) {
    throw invalidValueError(field, `${EXPRESSION}, at most ${MAX_CHARACTERS} characters`, expression);
  }
  if (NICKNAME.test(expression.trim())) return;
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== 5 && texts.length !== 6) throw invalidValueError(field, EXPRESSION, expression);
  const kinds = FIELDS.slice(-texts.length);
  for (const [i, { name, pattern, takes }] of kinds.entries()) {
    const text = texts[i] ?? '';
    if (!pattern.test(text) || !isAccepted(texts.map((_, at) => (at === i ? text : '*')).join(' ')))
      throw invalidValueError(field, `in the field for the ${name} ${takes}`, text);
  }
  if (!isAccepted(texts.join(' '))) throw invalidValueError(field, EXPRESSION, expression);
}

/** True if the package accepts the expression. A day that its months do not have is not a syntax error. */
function isAccepted(expression: string): boolean {
  try {
    CronExpressionParser.parse(withPlainLists(expression), { currentDate: 0, tz: 'UTC' });
    return true;
  } catch (thrown) {
    return isImpossibleDay(thrown);
  }
}

/** The first wall time after this one; null if none is within the horizon. */
export function cronAfter(expression: string, wallMs: number): number | null {
  const span = { currentDate: wallMs, endDate: wallMs + HORIZON_MS };
  return timeOf(expression, span, (cron) => cron.next().getTime());
}

/** The last wall time at or before this one; null if none is within the horizon. */
export function cronUpTo(expression: string, wallMs: number): number | null {
  // The package searches strictly before a time, so start at the next whole second.
  const currentDate = (Math.floor(wallMs / 1000) + 1) * 1000;
  const span = { currentDate, startDate: wallMs - HORIZON_MS };
  return timeOf(expression, span, (cron) => cron.prev().getTime());
}

function listOf(atom: string): RegExp {
  return new RegExp(`^(?:${atom})(?:,(?:${atom}))*$`);
}

type Span = { readonly currentDate: number; readonly startDate?: number; readonly endDate?: number };

function timeOf(expression: string, span: Span, find: (cron: CronExpression) => number): number | null {
  try {
    const cron = CronExpressionParser.parse(withPlainLists(expression), { ...span, tz: 'UTC' });
    return isNever(cron) ? null : find(cron);
  } catch (thrown) {
    // The expression was checked before, so these are the only possible errors.
    if (isImpossibleDay(thrown) || isOutOfSpan(thrown)) return null;
    throw thrown;
  }
}

/** True if none of the expression's months has its days. The package would search all years for them, day by day. */
function isNever({ fields: { dayOfMonth, month, dayOfWeek } }: CronExpression): boolean {
  if (!dayOfWeek.isWildcard || dayOfMonth.hasLastChar) return false;
  const longest = Math.max(...month.values.map((one) => LONGEST_MONTHS[Number(one) - 1] ?? 0));
  return dayOfMonth.values.every((day) => Number(day) > longest);
}

function isImpossibleDay(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'Invalid explicit day of month definition';
}

function isOutOfSpan(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    /^(?:Out of the time span range|Invalid expression, loop limit exceeded)$/.test(thrown.message)
  );
}

const MONTH_FIELD = 4;
const WEEKDAY_FIELD = 5;
const MONTHS: readonly string[] = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS: readonly string[] = 'sun mon tue wed thu fri sat'.split(' ');

/** Expands lists so that each value occurs once; the package mishandles overlaps. Leaves invalid fields unchanged. */
function withPlainLists(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  const first = FIELDS.length - fields.length;
  return fields.map((field, i) => (field.includes(',') ? plainList(field, first + i) : field)).join(' ');
}

function plainList(field: string, at: number): string {
  const parts = field.split(',');
  if (parts.includes('*')) return '*';
  const all = new Set<string>();
  for (const part of parts) {
    // L and 5L are not values of the field.
    const values = /^\w{0,3}L$/.test(part) ? [plainLast(part, at)] : valuesOf(part, at);
    if (values === null) return field;
    for (const value of values) all.add(value);
  }
  return [...all].join(',');
}

function plainLast(part: string, at: number): string {
  const value = numberOf(part.slice(0, -1), at);
  return value === null ? part : `${at === WEEKDAY_FIELD ? value % 7 : value}L`;
}

/** The values of one list item; null if it is invalid. */
function valuesOf(part: string, at: number): readonly string[] | null {
  const [range = '', step] = part.split('/');
  const { least, most } = FIELDS[at] ?? { least: 0, most: 0 };
  const [low, high] = range === '*' ? [String(least), String(most)] : range.split('-');
  const from = numberOf(low ?? '', at);
  const to = high === undefined ? (step === undefined ? from : most) : numberOf(high, at);
  const by = step === undefined ? 1 : Number(step);
  if (from === null || to === null || from < least || to > most || from > to || !(by > 0)) return null;
  const values: string[] = [];
  for (let value = from; value <= to; value += by) values.push(String(at === WEEKDAY_FIELD ? value % 7 : value));
  return values;
}

function numberOf(text: string, at: number): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const name = text.toLowerCase();
  const found = at === MONTH_FIELD ? MONTHS.indexOf(name) : at === WEEKDAY_FIELD ? WEEKDAYS.indexOf(name) : -1;
  if (found === -1) return null;
  return at === MONTH_FIELD ? found + 1 : found;
}
