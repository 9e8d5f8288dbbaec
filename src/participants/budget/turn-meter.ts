/** Counts what one turn spends against every limit that applies. */

import { addSpend, type Spend, UNREPORTED, ZERO_SPEND } from '../../core/records/session/spending.ts';
import type { BudgetHold, BudgetRequest, Meter } from '../agent/agent-fn.ts';
import { type Account, minus, type Unit } from './account.ts';

export interface DelegationMeter extends Meter {
  /** Default budget of a delegation: a quarter of each limit, but no more than remains. */
  share(): { readonly usd?: number; readonly tokens?: number };
}

const SHARE = 4;
/** The log of the delegated session already counts calls of this tool. */
export const DELEGATE = 'delegate';
/** Tolerance: sums of attempts and of turns are rounded separately. */
const ROUNDING_USD = 1e-7;

export class TurnMeter implements DelegationMeter {
  private readonly accounts: readonly Account[];
  private spent: Spend = ZERO_SPEND;
  private isOpen = false;
  /** Spending of this turn's own calls, which only the answer can record in a log; null if no call was made. */
  private called: Spend | null = null;

  constructor(accounts: readonly Account[]) {
    this.accounts = accounts;
  }

  /** Opens the turn; `end` must follow. */
  begin(): this {
    this.isOpen = true;
    for (const account of this.accounts) account.openTurn();
    return this;
  }

  hold(need: BudgetRequest): BudgetHold {
    for (const account of this.accounts) account.require(need);
    const held: Spend = { usd: need.usd ?? 0, tokens: need.tokens, unpriced: 0 };
    for (const account of this.accounts) account.hold(held);
    let isSettled = false;
    return {
      settle: ({ usd, tokens }) => {
        if (isSettled) return;
        isSettled = true;
        for (const account of this.accounts) account.release(held);
        const some = { usd: usd ?? 0, tokens, unpriced: usd === null ? 1 : 0 };
        if (need.tool !== DELEGATE) this.called = addSpend(this.called ?? ZERO_SPEND, some);
        this.spend(some);
      },
    };
  }

  left(): { readonly usd: number | null; readonly tokens: number | null } {
    return { usd: this.least('usd'), tokens: this.least('tokens') };
  }

  share(): { readonly usd?: number; readonly tokens?: number } {
    const [usd, tokens] = [this.shareOf('usd'), this.shareOf('tokens')];
    return { ...(usd === null ? {} : { usd }), ...(tokens === null ? {} : { tokens }) };
  }

  /** Cost of this turn's calls, if the answer reports none; undefined if no call was made, null if a price is unknown. */
  get cost(): number | null | undefined {
    if (this.called === null) return undefined;
    return this.called.unpriced > 0 ? null : this.called.usd;
  }

  /** Counts what the answer reports, as the hub and later runs do, but not less than was metered here. */
  finish(said: Spend | null): void {
    if (said === null) return this.spend(UNREPORTED);
    const isSame = Math.abs(said.usd - this.spent.usd) < ROUNDING_USD;
    const final = {
      usd: isSame ? said.usd : Math.max(said.usd, this.spent.usd),
      tokens: Math.max(said.tokens, this.spent.tokens),
      unpriced: Math.min(1, Math.max(said.unpriced, this.spent.unpriced)),
    };
    for (const account of this.accounts) account.unspend(this.spent);
    this.spent = ZERO_SPEND;
    this.spend(final);
  }

  /** Ends the turn. Only the first call counts. */
  end(how: 'answered' | 'unanswered'): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const account of this.accounts) account.closeTurn(how === 'answered');
  }

  private spend(some: Spend): void {
    this.spent = addSpend(this.spent, some);
    for (const account of this.accounts) account.spend(some);
  }

  private least(unit: Unit): number | null {
    const left = this.accounts.flatMap((account) => account.left(unit) ?? []);
    return left.length === 0 ? null : Math.min(...left);
  }

  /** Returns at least a minimal share, so that an exhausted limit rejects the delegation with its reason. */
  private shareOf(unit: Unit): number | null {
    const left = this.least(unit);
    if (left === null) return null;
    const parts = this.accounts.flatMap(({ limits }) => (limits[unit] === undefined ? [] : limits[unit] / SHARE));
    const part = Math.min(left, ...parts);
    return unit === 'tokens' ? Math.max(1, Math.floor(part)) : Math.max(1e-9, minus(part, 0, 'usd'));
  }
}
