/** What is left of a session's budgets: each less what was spent and what is set aside for delegations. Pure. */

import type { DelegateParams, DelegationBudget } from './records/work/delegation.ts';
import type { AcceptEntry, Watch } from './ports/expectation.ts';
import type { Json, JsonObject } from './lib/json.ts';
import type { SessionState } from './state/state.ts';
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
    .reduce((sum, { budget }) => sum + inUnits(budget?.[unit] ?? 0, unit), 0);
  const left = atMost(limit, unit) - inUnits(amountIn(tally, unit), unit) - reserved;
  return Math.max(0, left) / PER_ONE[unit];
}

/** In whole billionths of a dollar, and more than nothing: what is asked for, and what is set aside, is the same sum. */
export function wholeBudget({ usd, tokens }: NonNullable<DelegateParams['budget']>): DelegationBudget {
  const dollars = usd === undefined ? null : Math.max(1, inUnits(usd, 'usd')) / PER_ONE.usd;
  return { usd: dollars, tokens: tokens ?? null };
}

/** What the evaluator keeps is what was spent; one of another's making may keep something else. */
function amountIn(tally: Json | null, unit: Unit): number {
  const amount = typeof tally === 'object' && tally !== null ? (tally as JsonObject)[unit] : undefined;
  return typeof amount === 'number' ? amount : 0;
}

/** Dollars are counted in billionths: 0.7 is left of 1 when 0.1 and 0.2 are gone. */
const PER_ONE: Readonly<Record<Unit, number>> = { usd: 1e9, tokens: 1 };

function inUnits(amount: number, unit: Unit): number {
  return Math.round(amount * PER_ONE[unit]);
}

/** A limit that is no whole number of units is not exceeded for that. */
function atMost(limit: number, unit: Unit): number {
  const units = inUnits(limit, unit);
  return units / PER_ONE[unit] > limit ? units - 1 : units;
}
