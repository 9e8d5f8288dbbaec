/** Budget options of a participant: per turn, per session and in total. */

import { badOptionError, isObject } from '../../client/lib/option-checks.ts';
import { HubError } from '../../core/lib/errors.ts';

export interface BudgetLimits {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  /** Answered turns. */
  readonly turns?: number | undefined;
}

export interface Budget {
  readonly perTurn?: Pick<BudgetLimits, 'usd' | 'tokens'> | undefined;
  readonly perSession?: BudgetLimits | undefined;
  /** Over all sessions, past and present. */
  readonly total?: BudgetLimits | undefined;
  /** Policy of a USD limit for calls of unknown price (default: "refuse"). */
  readonly unpriced?: UnpricedPolicy | undefined;
}

export type UnpricedPolicy = 'refuse' | 'count_as_zero';

const UNITS = { perTurn: ['usd', 'tokens'], perSession: ['usd', 'tokens', 'turns'], total: ['usd', 'tokens', 'turns'] };

/** Throws HubError `bad_options`, which names the field. */
export function checkBudget(budget: unknown): void {
  if (!isObject(budget)) throw badOptionError('budget', 'an object', budget);
  for (const [name, value] of Object.entries(budget)) {
    if (value === undefined) continue;
    if (name === 'unpriced') checkUnpriced(value);
    else if (Object.hasOwn(UNITS, name)) checkLimits(`budget.${name}`, value, UNITS[name as keyof typeof UNITS]);
    else
      throw new HubError('bad_options', `budget.${name}: unknown limit; valid: perTurn, perSession, total, unpriced`);
  }
}

function checkUnpriced(value: unknown): void {
  if (value !== 'refuse' && value !== 'count_as_zero')
    throw badOptionError('budget.unpriced', '"refuse" or "count_as_zero"', value);
}

function checkLimits(field: string, limits: unknown, units: readonly string[]): void {
  if (!isObject(limits)) throw badOptionError(field, 'an object', limits);
  for (const [unit, most] of Object.entries(limits)) {
    if (most === undefined) continue;
    if (!units.includes(unit))
      throw new HubError('bad_options', `${field}.${unit}: unknown limit; valid: ${units.join(', ')}`);
    const isOne =
      typeof most === 'number' && Number.isFinite(most) && most >= 0 && most <= MAX[unit as keyof typeof MAX];
    if (!isOne || (unit !== 'usd' && !Number.isInteger(most)))
      throw badOptionError(
        `${field}.${unit}`,
        unit === 'usd' ? 'dollars from 0 to 1,000,000' : 'a whole number >= 0',
        most,
      );
  }
}

/** Sums stay exact up to these. */
const MAX = { usd: 1_000_000, tokens: 1_000_000_000_000_000, turns: Number.MAX_SAFE_INTEGER };
