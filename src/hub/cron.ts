/** Cron expressions on a wall clock that never changes: what is one, and which times it names. Zones are no business of this file. */

import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { asError, WireError } from '../core/errors.ts';
import { badValue } from '../core/json.ts';
import { withPlainLists } from './cron-lists.ts';

export const EXPRESSION =
  'a cron expression of 5 fields (minute hour day month weekday), of 6 (with seconds first), or @hourly, @daily, @weekly, @monthly, @yearly';
/** What does not happen within this time counts as never. */
export const HORIZON_MS: number = 10 * 366 * 86_400_000;

const MOST_CHARACTERS = 256;
const NICKNAME = /^@(?:hourly|daily|weekly|monthly|yearly)$/;
const VALUE = '(?:\\d{1,2}|[A-Za-z]{3})';
/** Stricter than the package, which also reads `5*` as 50-59, fills in fields that are missing and knows fields that are left to chance. */
const ATOM = `(?:\\*|${VALUE}(?:-${VALUE})?)(?:/\\d{1,2})?`;
const PLAIN = listOf(ATOM);
/** Also the last day of the month. */
const DAY = new RegExp(`^\\?$|${listOf(`${ATOM}|L`).source}`);
/** Also the last one of the month (5L), and the second (5#2). */
const WEEKDAY = new RegExp(`^\\?$|^${VALUE}#[1-5]$|${listOf(`${ATOM}|(?:[0-7]|[A-Za-z]{3})L`).source}`);

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Refuses what is no expression; what is one may still name no time at all. */
export function checkExpression(expression: unknown, field: string): asserts expression is string {
  if (typeof expression !== 'string' || expression.length > MOST_CHARACTERS) {
    throw badValue(field, `${EXPRESSION}, at most ${MOST_CHARACTERS} characters`, expression);
  }
  const fields = expression.trim().split(/\s+/);
  const isNickname = NICKNAME.test(expression.trim());
  if (!isNickname && fields.length !== 5 && fields.length !== 6) throw badValue(field, EXPRESSION, expression);
  const patterns = [PLAIN, PLAIN, PLAIN, DAY, PLAIN, WEEKDAY].slice(-fields.length);
  const wrong = isNickname ? undefined : fields.find((one, i) => patterns[i]?.test(one) !== true);
  if (wrong !== undefined) {
    const expected = 'numbers, names, ranges (1-5), steps (*/15) and lists (1,3,5) in each field';
    throw badValue(field, expected, wrong);
  }
  try {
    CronExpressionParser.parse(withPlainLists(expression), { currentDate: 0, tz: 'UTC' });
  } catch (thrown) {
    if (isImpossibleDay(thrown)) return;
    const cause = asError(thrown);
    const details = { field, expected: EXPRESSION, received: expression };
    const message = `${field}: expected ${EXPRESSION}, got ${JSON.stringify(expression)}: ${cause.message}`;
    throw new WireError('bad_frame', message, details, { cause });
  }
}

/** The first wall time after this one; null = none within the horizon. */
export function cronAfter(expression: string, wallMs: number): number | null {
  const span = { currentDate: wallMs, endDate: wallMs + HORIZON_MS };
  return timeOf(expression, span, (cron) => cron.next().getTime());
}

/** The last wall time at or before this one; null = none within the horizon. */
export function cronUpTo(expression: string, wallMs: number): number | null {
  // The package looks before a time; the next whole second is after this one.
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
    // Whoever asks has checked the expression: nothing else is left that the package can complain of.
    if (isImpossibleDay(thrown) || isOutOfSpan(thrown)) return null;
    throw thrown;
  }
}

/** Days that none of its months has. The package would look for them through all years, day by day. */
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
