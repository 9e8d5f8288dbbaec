/** Defines and checks the settings of a model: rejects unknown settings and wrong values by name. Pure. */

import { type OptionCheck, textCheck } from '../../../client/lib/option-checks.ts';
import { describeValue, isPlainObject, type Json, type JsonObject } from '../../../core/lib/json.ts';
import { type PriceList, readPrices } from '../usage/prices.ts';

export interface LlmProvider {
  /** Address up to the version, such as `https://api.example.com/v1`; a query stays at the end of the URL. */
  readonly baseUrl: string;
  /** Not needed by most local servers. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Name of the service in errors and records. */
  readonly provider?: string | undefined;
  /** Maximum tokens of an answer (default: decided by the service; Anthropic: 8,192). */
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Stream answers (default: true). */
  readonly stream?: boolean | undefined;
  /** Timeout of one attempt, up to the last byte (default: 300 s). */
  readonly timeoutMs?: number | undefined;
  /** Longest silence within an attempt (default: 120 s). */
  readonly idleMs?: number | undefined;
  /** Timeout of all attempts and pauses together (default: 900 s). */
  readonly totalMs?: number | undefined;
  /** Maximum number of retries; the retry table may allow fewer. */
  readonly maxRetries?: number | undefined;
  /** Sent with each request, like the fields of `body`; a field set to null is left out. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonObject | undefined;
  /** Maximum tool rounds of an agent in one turn (default: 8). */
  readonly maxRounds?: number | undefined;
  /** Prices that override the built-in ones. */
  readonly prices?: PriceList | undefined;
}

interface SettingCheck extends OptionCheck {
  /** The value may be a key: never show it. */
  readonly isSecret?: boolean;
}

const fromOne: SettingCheck = { expected: 'a whole number >= 1', holds: (value) => isWhole(value, 1) };
const time: SettingCheck = {
  expected: 'milliseconds > 0',
  holds: (value) => typeof value === 'number' && value > 0,
};
const object: SettingCheck = { expected: 'an object', holds: isPlainObject };

/** null if the setting is checked elsewhere. */
const CHECKS: { readonly [Key in keyof Required<LlmProvider>]: SettingCheck | null } = {
  baseUrl: null,
  apiKey: { ...textCheck, isSecret: true },
  model: null,
  provider: textCheck,
  maxTokens: fromOne,
  temperature: {
    expected: 'a number >= 0',
    holds: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  },
  stream: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  timeoutMs: time,
  idleMs: time,
  totalMs: time,
  maxRetries: { expected: 'a whole number >= 0', holds: (value) => isWhole(value, 0) },
  headers: { ...object, isSecret: true },
  body: object,
  maxRounds: fromOne,
  prices: null,
};

/** Throws TypeError with the name of the setting. */
export function checkSettings(settings: LlmProvider): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(CHECKS, name)) throw unknownSetting(name);
    const check = CHECKS[name as keyof LlmProvider];
    if (check === null || check.holds(value)) continue;
    const received = check.isSecret === true ? '' : `, got ${describeValue(value)}`;
    throw new TypeError(`${name}: expected ${check.expected}${received}`);
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

function unknownSetting(name: string): TypeError {
  const known = Object.keys(CHECKS);
  const plain = bare(name);
  const similar = known.find((one) => bare(one) === plain || bare(one) === `${plain}ms`);
  const hint = similar === undefined ? `valid settings: ${known.join(', ')}` : `did you mean ${similar}?`;
  return new TypeError(`${name}: unknown setting; ${hint}`);
}

/** Treats `max_tokens`, `maxtokens` and `maxTokens` alike. */
function bare(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}
