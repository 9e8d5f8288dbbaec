/** One budget limit with its amounts spent, reserved and left; and the checks of budget options. */

import { badOptionError, isObject } from '../../client/lib/option-checks.ts';
import { HubError } from '../../core/lib/errors.ts';
import { addSpend, type Spend, ZERO_SPEND } from '../../core/records/session/spending.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { BudgetRequest } from '../agent/agent-fn.ts';

export interface BudgetLimits {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  /** Maximum number of answered turns. */
  readonly turns?: number | undefined;
}

export interface Budget {
  readonly perTurn?: Pick<BudgetLimits, 'usd' | 'tokens'> | undefined;
  readonly perSession?: BudgetLimits | undefined;
  /** Limits over all sessions, past and present. */
  readonly total?: BudgetLimits | undefined;
  /** Policy of a USD limit for calls of unknown price (default: "refuse"). */
  readonly unpriced?: UnpricedPolicy | undefined;
}

export type UnpricedPolicy = 'refuse' | 'count_as_zero';

export type Unit = 'usd' | 'tokens';
const UNITS: readonly Unit[] = ['tokens', 'usd'];

/** Dollars are counted in billionths, as in the hub. */
const PER_DOLLAR = 1e9;

export class Account {
  /** Name in errors, such as `the budget of bob for a session`. */
  readonly label: string;
  readonly limits: BudgetLimits;
  readonly unpriced: UnpricedPolicy;
  spent: Spend;
  turns: number;
  private held: Spend = ZERO_SPEND;
  /** Number of turns that have begun and not ended. */
  private open = 0;

  constructor(
    label: string,
    limits: BudgetLimits,
    unpriced: UnpricedPolicy,
    counted: { spent: Spend; turns: number } = { spent: ZERO_SPEND, turns: 0 },
  ) {
    this.label = label;
    this.limits = limits;
    this.unpriced = unpriced;
    this.spent = counted.spent;
    this.turns = counted.turns;
  }

  /** Amount left, at least 0; null if the unit has no limit. */
  left(unit: Unit): number | null {
    const most = this.limits[unit];
    return most === undefined ? null : Math.max(0, minus(most, this.spent[unit] + this.held[unit], unit));
  }

  /** Rejects a turn that could not make a single call. */
  requireOpen(tool: string): void {
    const { turns } = this.limits;
    if (turns !== undefined && this.turns + this.open >= turns) {
      const open = this.open === 0 ? '' : `, ${this.open} open`;
      throw this.refusal(tool, `${this.label} allows ${turns} turns; ${this.turns} taken${open}`);
    }
    if (this.limits.usd !== undefined && this.unpriced === 'refuse' && this.spent.unpriced > 0) {
      const problem = `the cost of ${this.spent.unpriced} earlier answers is unknown, so it cannot be enforced`;
      throw this.refusal(tool, `${this.label} is ${this.limits.usd} USD, but ${problem}; ${ADVICE}`);
    }
    for (const unit of UNITS) {
      if (this.left(unit) === 0) throw this.refusal(tool, `${this.used(unit)}; nothing is left`);
    }
  }

  /** Rejects a call that needs more than is left. */
  require(need: BudgetRequest): void {
    for (const unit of UNITS) {
      const left = this.left(unit);
      const wanted = need[unit];
      if (left === null) continue;
      if (wanted === null) this.requirePrice(need.tool);
      else if (minus(wanted, left, unit) > 0) {
        const made = need.made === undefined ? '' : ` (${need.made})`;
        throw this.refusal(need.tool, `${this.used(unit)}; this call may need ${formatAmount(wanted, unit)}${made}`);
      }
    }
  }

  openTurn(): void {
    this.open += 1;
  }

  /** Ends a turn; only an answered turn counts towards the limit. */
  closeTurn(isAnswered: boolean): void {
    this.open -= 1;
    if (isAnswered) this.turns += 1;
  }

  hold(some: Spend): void {
    this.held = addSpend(this.held, some);
  }

  release(some: Spend): void {
    this.held = less(this.held, some);
  }

  spend(some: Spend): void {
    this.spent = addSpend(this.spent, some);
  }

  unspend(some: Spend): void {
    this.spent = less(this.spent, some);
  }

  private requirePrice(tool: string): void {
    if (this.unpriced === 'count_as_zero') return;
    const problem = `${tool} has no known price, so it cannot be enforced`;
    throw this.refusal(tool, `${this.label} is ${this.limits.usd} USD, but ${problem}; ${ADVICE}`);
  }

  private used(unit: Unit): string {
    const held = this.held[unit] === 0 ? '' : ` and ${formatAmount(this.held[unit], unit)} reserved`;
    const spent = formatAmount(this.spent[unit], unit);
    return `${this.label} is ${formatAmount(this.limits[unit] ?? 0, unit)}; ${spent} used${held}`;
  }

  private refusal(tool: string, problem: string): AgentError {
    return new AgentError('budget_exceeded', problem, { tool });
  }
}

const ADVICE = 'set `prices`, or count unknown prices as 0 (budget.unpriced: "count_as_zero")';

function formatAmount(amount: number, unit: Unit): string {
  return unit === 'usd' ? `${minus(amount, 0, 'usd')} USD` : `${amount} tokens`;
}

/** Subtracts; rounds dollars to remove errors of binary fractions. */
export function minus(a: number, b: number, unit: Unit): number {
  return unit === 'tokens' ? a - b : (Math.round(a * PER_DOLLAR) - Math.round(b * PER_DOLLAR)) / PER_DOLLAR;
}

function less(a: Spend, b: Spend): Spend {
  return {
    usd: Math.max(0, minus(a.usd, b.usd, 'usd')),
    tokens: Math.max(0, a.tokens - b.tokens),
    unpriced: Math.max(0, a.unpriced - b.unpriced),
  };
}

const LIMITS: Readonly<Record<string, readonly string[]>> = {
  perTurn: ['usd', 'tokens'],
  perSession: ['usd', 'tokens', 'turns'],
  total: ['usd', 'tokens', 'turns'],
};
/** Largest limits allowed; sums up to them stay exact. */
const MAX: Readonly<Record<string, number>> = { usd: 1e6, tokens: 1e15, turns: Number.MAX_SAFE_INTEGER };

/** Throws HubError `bad_options`, which names the field. */
export function checkBudget(budget: unknown): void {
  if (!isObject(budget)) throw badOptionError('budget', 'an object', budget);
  for (const [name, value] of Object.entries(budget)) {
    const units = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
    if (value === undefined) continue;
    if (units !== undefined) checkLimits(`budget.${name}`, value, units);
    else if (name !== 'unpriced') throw unknownLimit(`budget.${name}`, [...Object.keys(LIMITS), 'unpriced']);
    else if (value !== 'refuse' && value !== 'count_as_zero')
      throw badOptionError('budget.unpriced', '"refuse" or "count_as_zero"', value);
  }
}

function checkLimits(field: string, limits: unknown, units: readonly string[]): void {
  if (!isObject(limits)) throw badOptionError(field, 'an object', limits);
  for (const [unit, most] of Object.entries(limits)) {
    if (most === undefined) continue;
    if (!units.includes(unit)) throw unknownLimit(`${field}.${unit}`, units);
    const isAmount = typeof most === 'number' && most >= 0 && most <= (MAX[unit] ?? 0);
    const expected = unit === 'usd' ? 'dollars from 0 to 1,000,000' : 'a whole number >= 0';
    if (!isAmount || (unit !== 'usd' && !Number.isInteger(most)))
      throw badOptionError(`${field}.${unit}`, expected, most);
  }
}

function unknownLimit(field: string, valid: readonly string[]): HubError {
  return new HubError('bad_options', `${field}: unknown limit; valid: ${valid.join(', ')}`);
}
