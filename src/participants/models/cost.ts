/** What an answer costs: by model, day, length of the prompt and terms. What cannot be known is null, never 0. Pure. */

import { isoFromMs } from '../../core/time.ts';
import type { Usage } from '../agent/agent-fn.ts';
import { KNOWN_PRICES, type Price, type PriceList, type PriceTier } from './usage/prices.ts';
import { type ModelUsage, promptTokens } from './usage/usage.ts';

const PER_TOKENS = 1_000_000;
/** Finer than any price of one token, coarse enough to hide what binary fractions add. */
const PARTS_OF_A_DOLLAR = 1e10;

/** Of a reply as well, which has only what all agents tell. */
export type PricedUsage = Usage & Partial<ModelUsage>;

export function costOf(
  usage: PricedUsage,
  model: string,
  atMs: number,
  prices: PriceList = KNOWN_PRICES,
): number | null {
  const price = priceOf(model, atMs, prices);
  const prompt = promptTokens(usage);
  if (price === null || prompt === null) return null;
  const tier = price.tiers.toSorted((a, b) => b.above - a.above).find(({ above }) => prompt > above || above === 0);
  const factor = factorOf(price, usage.terms ?? []);
  const sum = tier === undefined ? null : sumOf(usage, tier);
  return sum === null || factor === null ? null : rounded((sum * factor) / PER_TOKENS);
}

/** What one of them does not know, nobody knows of the sum. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : rounded(a + b);
}

function rounded(usd: number): number {
  return Math.round(usd * PARTS_OF_A_DOLLAR) / PARTS_OF_A_DOLLAR;
}

/** The price on that day, of exactly this model: another one's is none. */
function priceOf(model: string, atMs: number, { prices }: PriceList): Price | null {
  const today = isoFromMs(atMs).slice(0, 10);
  const names = [model, model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '')];
  const begun = prices.filter(({ effective_from = '' }) => effective_from <= today);
  for (const name of names) {
    const own = begun.filter(({ models }) => models.includes(name));
    const newest = own.toSorted((a, b) => (a.effective_from ?? '').localeCompare(b.effective_from ?? '')).at(-1);
    if (newest !== undefined) return newest;
  }
  return null;
}

function sumOf(usage: PricedUsage, tier: PriceTier): number | null {
  const hourly = usage.cache_write_1h_tokens ?? 0;
  const parts = [
    amount(usage.input_tokens, tier.input),
    amount(usage.cache_read_tokens ?? 0, tier.cache_read),
    amount(Math.max(0, (usage.cache_write_tokens ?? 0) - hourly), tier.cache_write),
    amount(hourly, tier.cache_write_1h),
    amount(usage.output_tokens, tier.output),
  ];
  return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

function amount(tokens: number | null, price: number | undefined): number | null {
  if (tokens === 0) return 0;
  return tokens === null || price === undefined ? null : tokens * price;
}

function factorOf({ terms = {} }: Price, given: readonly string[]): number | null {
  return given.reduce<number | null>((product, term) => {
    const factor = terms[term];
    return product === null || factor === undefined ? null : product * factor;
  }, 1);
}
