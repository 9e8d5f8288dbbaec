/** Prices of models, and what an answer costs by them: model, day, length of the prompt, terms. Unknown cost is null. Pure. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { isoFromMs, msFromIso } from '../../../core/lib/time.ts';
import type { Usage } from '../../agent/agent-fn.ts';
import { asObject, textAt } from '../../lib/read-json.ts';
import known from './prices.json' with { type: 'json' };
import { type ModelUsage, promptTokens } from './usage.ts';

export interface PriceList {
  /** The day on which it was true: `2026-10-07`. */
  readonly as_of: string;
  readonly prices: readonly Price[];
}

export interface Price {
  /** Names of models; a date at the end of a model's name does not matter. */
  readonly models: readonly string[];
  /** The day it begins; without one it holds until another does. */
  readonly effective_from?: string;
  readonly tiers: readonly PriceTier[];
  /** What a term of the service multiplies the price with; a term that is not here makes it unknown. */
  readonly terms?: Readonly<Record<string, number>>;
  readonly note?: string;
}

/** USD per million tokens, for prompts of more than `above` tokens. What is not here is not known. */
export interface PriceTier {
  readonly above: number;
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
}

const DAY_MS = 86_400_000;
const OLD_AFTER_DAYS = 180;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CLASSES = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'];

/** A list from outside, such as a file. Throws TypeError, which names the place. */
export function readPrices(given: Json): PriceList {
  const list = asObject(given);
  if (list === null || !Array.isArray(list.prices)) throw wrong('prices', 'a list', list?.prices);
  checkDay(list, 'as_of', 'as_of');
  for (const [at, price] of list.prices.entries()) checkPrice(asObject(price), `prices[${at}]`);
  return given as unknown as PriceList; // Looked through just now.
}

export const KNOWN_PRICES: PriceList = readPrices(known as Json);

/** Yours first, for the models it has; the day is that of the older. */
export function withPrices(own: PriceList, others: PriceList = KNOWN_PRICES): PriceList {
  const mine = new Set(own.prices.flatMap(({ models }) => models));
  const rest = others.prices.map((price) => ({ ...price, models: price.models.filter((model) => !mine.has(model)) }));
  const [as_of = own.as_of] = [own.as_of, others.as_of].sort();
  return { as_of, prices: [...own.prices, ...rest.filter(({ models }) => models.length > 0)] };
}

/** What to say of a list that is more than 180 days old; null when it is not. */
export function priceWarning({ as_of }: PriceList, nowMs: number): string | null {
  const days = Math.floor((nowMs - msFromIso(`${as_of}T00:00:00.000Z`)) / DAY_MS);
  if (days <= OLD_AFTER_DAYS) return null;
  const today = isoFromMs(nowMs).slice(0, 10);
  return `the prices of models are of ${as_of}, ${days} days before ${today}: costs may be wrong; give a newer list`;
}

function checkPrice(price: JsonObject | null, at: string): void {
  const { models, tiers, terms = {} } = price ?? {};
  if (!isFull(models) || !models.every((model) => typeof model === 'string'))
    throw wrong(`${at}.models`, 'names', models);
  if (price?.effective_from !== undefined) checkDay(price, 'effective_from', `${at}.effective_from`);
  if (!isFull(tiers)) throw wrong(`${at}.tiers`, 'a list of tiers', tiers);
  for (const [index, tier] of tiers.entries()) checkTier(asObject(tier), `${at}.tiers[${index}]`);
  for (const [term, factor] of Object.entries(asObject(terms) ?? { terms })) checkAmount(factor, `${at}.terms.${term}`);
}

function checkTier(tier: JsonObject | null, at: string): void {
  for (const key of ['above', 'input', 'output']) checkAmount(tier?.[key], `${at}.${key}`);
  for (const [key, value] of Object.entries(tier ?? {})) {
    if (key !== 'above' && !CLASSES.includes(key)) throw wrong(`${at}.${key}`, `one of ${CLASSES.join(', ')}`, key);
    checkAmount(value, `${at}.${key}`);
  }
}

function isFull(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0;
}

function checkDay(holder: JsonObject, key: string, at: string): void {
  const day = textAt(holder, key) ?? '';
  if (!DAY.test(day) || Number.isNaN(msFromIso(`${day}T00:00:00.000Z`)))
    throw wrong(at, 'a day such as 2026-10-07', holder[key]);
}

function checkAmount(value: Json | undefined, at: string): void {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw wrong(at, 'a number from 0 on', value);
}

function wrong(at: string, expected: string, came: Json | undefined): TypeError {
  return new TypeError(`${at}: expected ${expected}, got ${JSON.stringify(came) ?? 'nothing'}`);
}

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
