/** Computes the cost of an answer from prices by model, day, prompt length and terms. Unknown cost is null. Pure. */

import type { Json, JsonObject } from '../../../core/lib/json.ts';
import { isoFromMs, msFromIso } from '../../../core/lib/time.ts';
import type { Usage } from '../../agent/agent-fn.ts';
import { asObject, textAt } from '../../lib/read-json.ts';
import known from './prices.json' with { type: 'json' };
import { type ModelUsage, promptTokens } from './usage.ts';

export interface PriceList {
  /** The day the list was valid: `2026-10-07`. */
  readonly as_of: string;
  readonly prices: readonly Price[];
}

export interface Price {
  /** Model names; a date at the end of a model's name is ignored. */
  readonly models: readonly string[];
  /** First day of the price; it holds until a later one starts. */
  readonly effective_from?: string;
  readonly tiers: readonly PriceTier[];
  /** Factor per service term; an unlisted term makes the cost unknown. */
  readonly terms?: Readonly<Record<string, number>>;
  readonly note?: string;
}

/** USD per million tokens, for prompts of more than `above` tokens. The price of a missing class is unknown. */
interface PriceTier {
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

/** Checks a list from outside, such as a file. Throws TypeError that names the field. */
export function readPrices(given: Json): PriceList {
  const list = asObject(given);
  if (list === null || !Array.isArray(list.prices)) throw wrong('prices', 'a list', list?.prices);
  checkDay(list, 'as_of', 'as_of');
  for (const [at, price] of list.prices.entries()) checkPrice(asObject(price), `prices[${at}]`);
  return given as unknown as PriceList;
}

export const KNOWN_PRICES: PriceList = readPrices(known as Json);

/** Own prices take precedence; `as_of` is the older of the two. */
export function withPrices(own: PriceList, others: PriceList = KNOWN_PRICES): PriceList {
  const mine = new Set(own.prices.flatMap(({ models }) => models));
  const rest = others.prices.map((price) => ({ ...price, models: price.models.filter((model) => !mine.has(model)) }));
  const [as_of = own.as_of] = [own.as_of, others.as_of].sort();
  return { as_of, prices: [...own.prices, ...rest.filter(({ models }) => models.length > 0)] };
}

/** A warning if the list is more than 180 days old, otherwise null. */
export function priceWarning({ as_of }: PriceList, nowMs: number): string | null {
  const days = Math.floor((nowMs - msFromIso(`${as_of}T00:00:00.000Z`)) / DAY_MS);
  if (days <= OLD_AFTER_DAYS) return null;
  const today = isoFromMs(nowMs).slice(0, 10);
  return `the model prices are from ${as_of}, ${days} days before ${today}: costs may be wrong; use a newer list`;
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
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw wrong(at, 'a number >= 0', value);
}

function wrong(at: string, expected: string, came: Json | undefined): TypeError {
  return new TypeError(`${at}: expected ${expected}, got ${JSON.stringify(came) ?? 'nothing'}`);
}

const PER_TOKENS = 1_000_000;
/** Finer than the price of one token, coarse enough to hide binary fractions. */
const PARTS_OF_A_DOLLAR = 1e10;

/** Also accepts the usage of a reply, which lacks the fields that only models report. */
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

/** The sum is unknown if either part is. */
export function addCosts(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : rounded(a + b);
}

function rounded(usd: number): number {
  return Math.round(usd * PARTS_OF_A_DOLLAR) / PARTS_OF_A_DOLLAR;
}

/** The price on that day for exactly this model; prices of similar models do not apply. */
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
