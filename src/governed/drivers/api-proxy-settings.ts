/** Reads the settings of a runtime that calls a model: endpoint, key, limits, retries and cost rates. */

import { z } from 'zod';
import { isoFromMs } from '../../core/lib/time.ts';
import type { ModelClient, ModelProvider, Models, PriceList } from '../../participants/models/index.ts';
import type { GovernedConfig } from '../engine/index.ts';
import { getOwn, isRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import type { Variables } from '../hooks/variables.ts';
import { refuse } from './attempt/failure.ts';

const positive = z.number().positive();
const wholeFrom = (least: number) => z.number().int().min(least);

export interface ApiProxySettings {
  readonly provider: string;
  readonly model: string;
  /** Base URL of an OpenAI-compatible API; for provider `anthropic`, of an Anthropic API. */
  readonly base_url?: string | undefined;
  /** Environment variable that holds the key; alias: `auth_env`. */
  readonly api_key_env?: string | undefined;
  readonly auth_env?: string | undefined;
  /** Default: 8192; alias: `max_output_tokens`. */
  readonly max_tokens?: number | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Timeout of one try, including the body (default: 120000). */
  readonly timeout_ms?: number | undefined;
  readonly timeout_seconds?: number | undefined;
  readonly total_timeout_ms?: number | undefined;
  /** Maximum number of retries, even if the retry table allows more. */
  readonly max_retries?: number | undefined;
  /** Stream answers (default: true). */
  readonly stream?: boolean | undefined;
}

export const API_PROXY: z.ZodType<ApiProxySettings> = z.looseObject({
  provider: z.string().min(1),
  model: z.string().min(1),
  base_url: z.string().min(1).optional(),
  api_key_env: z.string().min(1).optional(),
  auth_env: z.string().min(1).optional(),
  max_tokens: wholeFrom(1).optional(),
  max_output_tokens: wholeFrom(1).optional(),
  temperature: z.number().min(0).optional(),
  timeout_ms: positive.optional(),
  timeout_seconds: positive.optional(),
  total_timeout_ms: positive.optional(),
  max_retries: wholeFrom(0).optional(),
  stream: z.boolean().optional(),
});

interface Known {
  readonly baseUrl: string;
  /** null if the provider needs no key. */
  readonly keyEnv: string | null;
}

/** All providers except Anthropic use the OpenAI chat completions API. */
const PROVIDERS: ReadonlyMap<string, Known> = new Map([
  ['anthropic', { baseUrl: 'https://api.anthropic.com', keyEnv: 'ANTHROPIC_API_KEY' }],
  ['openai', { baseUrl: 'https://api.openai.com/v1', keyEnv: 'OPENAI_API_KEY' }],
  ['google', { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', keyEnv: 'GEMINI_API_KEY' }],
  ['ollama', { baseUrl: 'http://127.0.0.1:11434/v1', keyEnv: null }],
]);

const MAX_TOKENS = 8_192;
const TIMEOUT_MS = 120_000;
/** Minimum default for the total timeout; enough for every retry in one row of the retry table. */
const LEAST_TOTAL_MS = 900_000;

export function tryMs({ timeout_ms, timeout_seconds }: ApiProxySettings): number {
  return timeout_ms ?? (timeout_seconds === undefined ? TIMEOUT_MS : timeout_seconds * 1000);
}

export function totalMs(settings: ApiProxySettings): number {
  return settings.total_timeout_ms ?? Math.max(LEAST_TOTAL_MS, 3 * tryMs(settings));
}

export function endpointOf({ provider, base_url }: ApiProxySettings): string {
  const url = base_url ?? PROVIDERS.get(provider)?.baseUrl;
  if (url !== undefined) return url;
  const known = [...PROVIDERS.keys()].join(', ');
  return refuse('unsupported_provider', `provider ${provider}: expected one of ${known}, or a base_url`);
}

/** Returns undefined if no key is sent. A provider's default key never goes to a custom base_url. */
export function keyOf(settings: ApiProxySettings, variables: Variables): string | undefined {
  const { provider, base_url, api_key_env, auth_env } = settings;
  const defaultName = base_url === undefined ? (PROVIDERS.get(provider)?.keyEnv ?? null) : null;
  const name = api_key_env ?? auth_env ?? defaultName;
  if (name === null) return undefined;
  const key = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (key !== undefined && key.trim() !== '') return key;
  return refuse('missing_credentials', `${provider}: the key variable ${name} is not set`);
}

export function clientOf(
  models: Models,
  settings: ApiProxySettings,
  given: Pick<ModelProvider, 'apiKey' | 'totalMs' | 'prices'>,
): ModelClient {
  const { provider, model, temperature, max_retries: maxRetries, stream } = settings;
  const timeoutMs = tryMs(settings);
  const all = {
    provider,
    model,
    temperature,
    maxRetries,
    stream,
    timeoutMs,
    // A thinking model may stay silent, so only the timeout of the try applies.
    idleMs: timeoutMs,
    baseUrl: endpointOf(settings),
    maxTokens: settings.max_tokens ?? settings.max_output_tokens ?? MAX_TOKENS,
    ...given,
  };
  try {
    return provider === 'anthropic' ? models.createAnthropicClient(all) : models.createChatClient(all);
  } catch (thrown) {
    if (thrown instanceof TypeError) return refuse('bad_settings', thrown.message);
    throw thrown;
  }
}

/** Returns undefined if the project sets no rates for this model. */
export function ratesOf({ budget }: GovernedConfig, model: string, nowMs: number): PriceList | undefined {
  const rates = isRecord(budget) ? (budget as UnknownRecord).cost_rates : undefined;
  const rate = isRecord(rates) ? getOwn(rates, model) : undefined;
  if (!isRecord(rate)) return undefined;
  const { input_per_1m: input, output_per_1m: output } = rate;
  if (typeof input !== 'number' || typeof output !== 'number' || !(input >= 0) || !(output >= 0)) {
    const place = `budget.cost_rates.${model}`;
    return refuse('bad_settings', `${place}: expected input_per_1m and output_per_1m, numbers >= 0`);
  }
  return { as_of: isoFromMs(nowMs).slice(0, 10), prices: [{ models: [model], tiers: [{ above: 0, input, output }] }] };
}
