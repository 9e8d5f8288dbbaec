/** Reported spending: folded from `usage` and `cost_usd` of content. */

import { isPlainObject, type JsonObject } from '../../lib/json.ts';
import { type Envelope, isContent } from './envelope.ts';

export interface Spend {
  /** Rounded to billionths of a dollar, exact up to a million dollars. */
  readonly usd: number;
  readonly tokens: number;
  /** Number of messages without a reported cost; they count as 0 dollars. */
  readonly unpriced: number;
}

export const ZERO_SPEND: Spend = Object.freeze({ usd: 0, tokens: 0, unpriced: 0 });

/** The spending of an answer without a cost report. */
export const UNREPORTED: Spend = Object.freeze({ usd: 0, tokens: 0, unpriced: 1 });

/** Maximum per message; a larger amount is a mistake. */
export const MAX_COST_USD = 1_000_000;

/** Maximum of a sum, so that sums stay exact JSON numbers. */
const MAX_USD = 9_000_000;
const BILLION = 1e9;

/** The reported spending; null if none. Invalid values, possible in types without a schema, are ignored. */
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

/** The spending that an envelope adds to its session, reported by content or by a settled delegation. */
export function spendFromEnvelope({
  event_type,
  event_data,
}: Pick<Envelope, 'event_type' | 'event_data'>): Spend | null {
  if (event_type !== 'delegation.settled') return isContent(event_type) ? spendFromData(event_data) : null;
  // The hub made this value; null if the spending is unknown.
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

/** Makes 0.1 + 0.2 equal 0.3. */
function rounded(usd: number): number {
  return Math.round(usd * BILLION) / BILLION;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
