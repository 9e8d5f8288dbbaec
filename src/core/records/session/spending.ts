/** What was spent, as whoever spent it says: a fold of `usage` and `cost_usd` of content. */

import { isPlainObject, type JsonObject } from '../../lib/json.ts';
import { type Envelope, isContent } from './envelope.ts';

export interface Spend {
  /** In whole billionths of a dollar: exact up to a million dollars. */
  readonly usd: number;
  readonly tokens: number;
  /** Messages of which nobody said what they cost; they count as 0. */
  readonly unpriced: number;
}

export const ZERO_SPEND: Spend = Object.freeze({ usd: 0, tokens: 0, unpriced: 0 });

/** Of an answer that says nothing of what it cost. */
export const UNREPORTED: Spend = Object.freeze({ usd: 0, tokens: 0, unpriced: 1 });

/** One message says at most this; more is a slip of the pen. */
export const MAX_COST_USD = 1_000_000;

/** Where sums end, so that they stay numbers JSON can keep. */
const MAX_USD = 9_000_000;
const BILLION = 1e9;

/** What content adds; null = it says nothing of it. What is out of shape, in types whose data nobody checks, counts as nothing. */
export function spendFromData({ usage, cost_usd }: Partial<JsonObject>): Spend | null {
  const isPriced = isAmount(cost_usd);
  const hasUsage = isPlainObject(usage);
  if (!isPriced && cost_usd !== null && !hasUsage) return null;
  return {
    usd: isPriced ? rounded(Math.min(cost_usd, MAX_COST_USD)) : 0,
    tokens: hasUsage ? tokensIn(usage) : 0,
    unpriced: isPriced ? 0 : 1,
  };
}

/** What an envelope adds to what its session spent: what content says of itself, or what a settled delegation came to. */
export function spendFromEnvelope({
  event_type,
  event_data,
}: Pick<Envelope, 'event_type' | 'event_data'>): Spend | null {
  if (event_type !== 'delegation.settled') return isContent(event_type) ? spendFromData(event_data) : null;
  // Made by the hub; null = not known.
  return (event_data.spent as unknown as Spend | null) ?? null;
}

export function addSpend(a: Spend, b: Spend): Spend {
  return {
    usd: Math.min(MAX_USD, rounded(a.usd + b.usd)),
    tokens: Math.min(Number.MAX_SAFE_INTEGER, a.tokens + b.tokens),
    unpriced: a.unpriced + b.unpriced,
  };
}

function tokensIn({ fresh, cache_read, cache_write, output }: Readonly<Record<string, unknown>>): number {
  let tokens = 0;
  for (const some of [fresh, cache_read, cache_write, output]) if (isAmount(some)) tokens += Math.round(some);
  return Math.min(Number.MAX_SAFE_INTEGER, tokens);
}

/** 0.1 + 0.2 is 0.3. */
function rounded(usd: number): number {
  return Math.round(usd * BILLION) / BILLION;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
