/** budget_within: limits spending in dollars, tokens or both. Fires once, for the participant that exceeds it. */

import {
  type AcceptEvaluator,
  actingAgent,
  addSpend,
  type Json,
  type JsonObject,
  nameOf,
  type Spend,
  spendFromEnvelope,
  ZERO_SPEND,
} from 'parley-hub/core';
import { checkNumbers } from './parts/params.ts';

export const budgetWithin: AcceptEvaluator = {
  name: 'budget_within',
  version: 1,
  settlements: true,
  checkParams: (params) =>
    checkNumbers(params, {
      usd: { least: 0, most: 1_000_000, fractions: true },
      tokens: { least: 0, most: 1_000_000_000_000_000 },
    }),
  fold(tally, { envelope }) {
    const more = spendFromEnvelope(envelope);
    if (more === null) return tally;
    const { usd, tokens, unpriced } = addSpend(spentOf(tally), more);
    return { usd, tokens, unpriced };
  },
  violators: ({ envelope, before, tally, params }) =>
    isOver(tally, params) && !isOver(before, params) ? [actingAgent(envelope)] : [],
  describe(_violators, { envelope, metadata, tally, params }) {
    const { usd, tokens, unpriced } = spentOf(tally);
    const limits = [
      ...(params.usd === undefined ? [] : [`${String(params.usd)} USD`]),
      ...(params.tokens === undefined ? [] : [`${String(params.tokens)} tokens`]),
    ];
    const unknown = unpriced === 0 ? '' : ` (${unpriced} unpriced)`;
    const who = nameOf(metadata, actingAgent(envelope));
    return `with seq ${envelope.seq} of ${who} ${usd} USD and ${tokens} tokens are spent${unknown}, more than ${limits.join(' or ')}`;
  },
};

function isOver(tally: Json | null, { usd, tokens }: Partial<JsonObject>): boolean {
  const spent = spentOf(tally);
  return (typeof usd === 'number' && spent.usd > usd) || (typeof tokens === 'number' && spent.tokens > tokens);
}

function spentOf(tally: Json | null): Spend {
  return tally === null ? ZERO_SPEND : (tally as unknown as Spend);
}
