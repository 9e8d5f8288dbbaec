/** The budget of a session: the tightest it is expected to stay within, less what was spent and what is set aside. */

import type { DelegationBudget } from './delegation.ts';
import type { Manifest } from './session.ts';
import type { SessionState } from './state.ts';

type Unit = keyof DelegationBudget;

/** The tightest `budget_within`, whatever happens when it is exceeded; null = there is none in that respect. */
export function budgetOf({ expectations }: Manifest): DelegationBudget {
  const tightest = (unit: Unit): number | null => {
    const limits = expectations
      .filter(({ name }) => name === 'budget_within')
      .map(({ params }) => params[unit])
      .filter((limit) => typeof limit === 'number');
    return limits.length === 0 ? null : Math.min(...limits);
  };
  return { usd: tightest('usd'), tokens: tightest('tokens') };
}

/** What a delegation may still have; never less than 0. */
export function leftOf(state: SessionState): DelegationBudget {
  const budget = budgetOf(state.metadata.manifest);
  const left = (unit: Unit): number | null => {
    const limit = budget[unit];
    if (limit === null) return null;
    const reserved = state.delegations.reduce((sum, open) => sum + (open.budget?.[unit] ?? 0), 0);
    return Math.max(0, exact(limit - spentIn(state)[unit] - reserved));
  };
  return { usd: left('usd'), tokens: left('tokens') };
}

/** Sums of dollars as decimals: 0.7 is left of 1 when 0.1 and 0.2 are gone. */
export function exact(sum: number): number {
  return Math.round(sum * 1e9) / 1e9;
}

function spentIn(_state: SessionState): Record<Unit, number> {
  return { usd: 0, tokens: 0 };
}
