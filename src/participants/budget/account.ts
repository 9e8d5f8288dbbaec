/** One limit and what counts against it: what was spent, what is set aside, and what is left. */

import { addSpend, type Spend, ZERO_SPEND } from '../../core/records/session/spending.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { BudgetRequest } from '../agent/agent-fn.ts';
import type { BudgetLimits, UnpricedPolicy } from './budget.ts';

export type Unit = 'usd' | 'tokens';
export const UNITS: readonly Unit[] = ['tokens', 'usd'];

/** Dollars are counted in billionths, as the hub does. */
const PER_DOLLAR = 1e9;

export class Account {
  /** `the budget of bob for a session`. */
  readonly label: string;
  readonly limits: BudgetLimits;
  readonly unpriced: UnpricedPolicy;
  spent: Spend;
  turns: number;
  private held: Spend = ZERO_SPEND;
  /** Turns that have begun, of which it is not known yet whether they are answered. */
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

  /** Never less than 0; null = there is no such limit. */
  left(unit: Unit): number | null {
    const most = this.limits[unit];
    return most === undefined ? null : Math.max(0, minus(most, this.spent[unit] + this.held[unit], unit));
  }

  /** Refuses a turn of which nothing could come. */
  requireOpen(tool: string): void {
    const { turns } = this.limits;
    if (turns !== undefined && this.turns + this.open >= turns) {
      const open = this.open === 0 ? '' : ` and ${this.open} have begun`;
      throw this.refusal(tool, `${this.label} is ${turns} turns, and ${this.turns} were taken${open}`);
    }
    if (this.limits.usd !== undefined && this.unpriced === 'refuse' && this.spent.unpriced > 0) {
      const what = `what ${this.spent.unpriced} of the answers so far cost is not known`;
      throw this.refusal(
        tool,
        `${this.label} is ${this.limits.usd} USD, and ${what}, so that it cannot be kept; ${ADVICE}`,
      );
    }
    for (const unit of UNITS) {
      if (this.left(unit) === 0) throw this.refusal(tool, `${this.used(unit)}, and nothing is left`);
    }
  }

  /** Refuses what is more than is left. */
  require(need: BudgetRequest): void {
    for (const unit of UNITS) {
      const left = this.left(unit);
      const wanted = need[unit];
      if (left === null) continue;
      if (wanted === null) this.requirePrice(need.tool);
      else if (minus(wanted, left, unit) > 0) {
        const made = need.made === undefined ? '' : ` (${need.made})`;
        throw this.refusal(need.tool, `${this.used(unit)}, and this call may need ${inWords(wanted, unit)}${made}`);
      }
    }
  }

  /** Sets a turn aside. */
  openTurn(): void {
    this.open += 1;
  }

  /** It counts if it was answered, and is free again if not. */
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
    const why = `${this.label} is ${this.limits.usd} USD, and ${tool} has no known price, so that it cannot be kept`;
    throw this.refusal(tool, `${why}; ${ADVICE}`);
  }

  private used(unit: Unit): string {
    const aside = this.held[unit] === 0 ? '' : ` and ${inWords(this.held[unit], unit)} set aside`;
    return `${this.label} is ${inWords(this.limits[unit] ?? 0, unit)}; ${inWords(this.spent[unit], unit)} were used${aside}`;
  }

  private refusal(tool: string, problem: string): AgentError {
    return new AgentError('budget_exceeded', problem, { tool });
  }
}

const ADVICE = 'give its `prices`, or let it count as nothing (budget.unpriced: "count_as_zero")';

function inWords(amount: number, unit: Unit): string {
  return unit === 'usd' ? `${minus(amount, 0, 'usd')} USD` : `${amount} tokens`;
}

/** Without what binary fractions add. */
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
