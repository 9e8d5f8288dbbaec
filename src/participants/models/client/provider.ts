/** The settings of a model, and their checks: an unknown setting or a wrong value is rejected by name. Pure. */

import { describeValue, isPlainObject, type Json, type JsonObject } from '../../../core/lib/json.ts';
import { type PriceList, readPrices } from '../usage/prices.ts';

/** How to reach a model. */
export interface LlmProvider {
  /** Up to the version, as in `https://api.example.com/v1`; a query stays behind what is appended. */
  readonly baseUrl: string;
  /** Local servers need none. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** The name errors and records have for it. */
  readonly provider?: string | undefined;
  /** What an answer may have at most; unset, the service decides (Anthropic wants a number: 8,192). */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Whether answers come in pieces; on unless a server cannot. */
  readonly stream?: boolean | undefined;
  /** One try, from the request to the last byte of the answer. 300 s. */
  readonly timeoutMs?: number | undefined;
  /** The longest silence within a try. 120 s. */
  readonly idleMs?: number | undefined;
  /** All tries and the waits between them. 900 s. */
  readonly totalMs?: number | undefined;
  /** At most so many tries after the first, whatever the table says. */
  readonly maxRetries?: number | undefined;
  /** Go with each request, as does what is in `body`; null there leaves a field out. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonObject | undefined;
  /** Of an agent: rounds of tools in one turn. 8. */
  readonly maxRounds?: number | undefined;
  /** Prices that come before those we know. */
  readonly prices?: PriceList | undefined;
}

interface Rule {
  /** As the end of the sentence "expected …". */
  readonly expected: string;
  holds(value: unknown): boolean;
  /** It may hold a key, which is in no error. */
  readonly isSecret?: boolean;
}

const text: Rule = { expected: 'text', holds: (value) => typeof value === 'string' };
const fromOne: Rule = { expected: 'a whole number from 1 on', holds: (value) => isWhole(value, 1) };
const time: Rule = {
  expected: 'milliseconds, more than 0',
  holds: (value) => typeof value === 'number' && value > 0,
};
const object: Rule = { expected: 'an object', holds: isPlainObject };

/** Where more is to be said of one it is said elsewhere: null. */
const RULES: { readonly [Key in keyof Required<LlmProvider>]: Rule | null } = {
  baseUrl: null,
  apiKey: { ...text, isSecret: true },
  model: null,
  provider: text,
  maxTokens: fromOne,
  temperature: {
    expected: 'a number from 0 on',
    holds: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  },
  stream: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  timeoutMs: time,
  idleMs: time,
  totalMs: time,
  maxRetries: { expected: 'a whole number from 0 on', holds: (value) => isWhole(value, 0) },
  headers: { expected: 'an object', holds: isPlainObject, isSecret: true },
  body: object,
  maxRounds: fromOne,
  prices: null,
};

/** Throws TypeError. */
export function checkSettings(settings: LlmProvider): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(RULES, name)) throw strange(name);
    // One of the names, just now.
    const rule = RULES[name as keyof LlmProvider];
    if (rule === null || rule.holds(value)) continue;
    const came = rule.isSecret === true ? '' : `, got ${describeValue(value)}`;
    throw new TypeError(`${name}: expected ${rule.expected}${came}`);
  }
  if (settings.prices !== undefined) checkPrices(settings.prices);
}

function checkPrices(prices: unknown): void {
  try {
    readPrices(prices as Json);
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new TypeError(`prices.${thrown.message}`);
  }
}

function strange(name: string): TypeError {
  const known = Object.keys(RULES);
  const plain = bare(name);
  const meant = known.find((one) => bare(one) === plain || bare(one) === `${plain}ms`);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  return new TypeError(`${name}: there is no such setting; ${hint}`);
}

/** `max_tokens`, `maxtokens` and `maxTokens` are meant alike. */
function bare(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}
