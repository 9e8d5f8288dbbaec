/** What is left of a session's budgets: each less what was spent and what is set aside for delegations. Pure. */

import type { DelegationBudget } from './delegation.ts';
import type { AcceptEntry, Watch } from './expectation.ts';
import type { Json, JsonObject } from './json.ts';
import type { SessionState } from './state.ts';
import { appliesTo } from './tallies.ts';

type Unit = keyof DelegationBudget;

/** What this one may still set aside, never less than 0; null = there is no budget in that respect. */
export function leftFor(state: SessionState, watch: Watch | null, agentId: string): DelegationBudget {
  const left: { usd: number | null; tokens: number | null } = { usd: null, tokens: null };
  (watch?.accepting ?? []).forEach((watched, i) => {
    const { entry } = watched;
    if (entry.name !== 'budget_within' || !appliesTo(entry, agentId, state.metadata)) return;
    for (const unit of ['usd', 'tokens'] as const) {
      const own = leftOf(unit, watched, state, state.pacing.tallies[i] ?? null);
      if (own !== null) left[unit] = Math.min(left[unit] ?? own, own);
    }
  });
  return left;
}

function leftOf(unit: Unit, { entry }: AcceptEntry, state: SessionState, tally: Json | null): number | null {
  const limit = entry.params[unit];
  if (typeof limit !== 'number') return null;
  const reserved = state.delegations
    .filter(({ agent_id }) => appliesTo(entry, agent_id, state.metadata))
    .reduce((sum, { budget }) => sum + (budget?.[unit] ?? 0), 0);
  return Math.max(0, exact(limit - amountIn(tally, unit) - reserved));
}

/** What the evaluator keeps is what was spent; one of another's making may keep something else. */
function amountIn(tally: Json | null, unit: Unit): number {
  const amount = typeof tally === 'object' && tally !== null ? (tally as JsonObject)[unit] : undefined;
  return typeof amount === 'number' ? amount : 0;
}

/** Sums of dollars as decimals: 0.7 is left of 1 when 0.1 and 0.2 are gone. */
function exact(sum: number): number {
  return Math.round(sum * 1e9) / 1e9;
}
