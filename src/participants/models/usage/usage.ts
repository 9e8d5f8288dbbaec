/** Converts the token counts of services to disjoint classes. Pure. */

import type { JsonObject } from '../../../core/lib/json.ts';
import type { Usage } from '../../agent/agent-fn.ts';
import { plus, usageBy } from '../../agent/usage.ts';
import { countAt, objectAt, textAt } from '../../lib/read-json.ts';

export interface ModelUsage extends Usage {
  /** Cache writes kept for an hour, which cost more; part of `cache_write_tokens`. */
  readonly cache_write_1h_tokens: number | null;
  /** Other price terms: `service_tier=flex`, `inference_geo=us`. Default terms are left out. */
  readonly terms: readonly string[];
}

export const UNKNOWN_USAGE: ModelUsage = {
  input_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
  cache_write_1h_tokens: null,
  output_tokens: null,
  reasoning_tokens: null,
  terms: [],
};

/** Anthropic: `input_tokens` excludes cached tokens. */
export function anthropicUsage(usage: JsonObject): ModelUsage {
  return {
    input_tokens: countAt(usage, 'input_tokens'),
    cache_read_tokens: countAt(usage, 'cache_read_input_tokens'),
    cache_write_tokens: countAt(usage, 'cache_creation_input_tokens'),
    cache_write_1h_tokens: countAt(usage, 'cache_creation', 'ephemeral_1h_input_tokens'),
    output_tokens: countAt(usage, 'output_tokens'),
    reasoning_tokens: countAt(usage, 'output_tokens_details', 'reasoning_tokens'),
    terms: [
      ...term('service_tier', textAt(usage, 'service_tier'), ['standard', 'default']),
      ...term('inference_geo', textAt(usage, 'inference_geo'), ['global', 'not_available']),
    ],
  };
}

/** OpenAI, chat (`prompt_tokens`) and Responses (`input_tokens`): the input includes cached tokens. */
export function openAiUsage(usage: JsonObject, serviceTier: string | null): ModelUsage {
  const details = objectAt(usage, 'prompt_tokens_details') ?? objectAt(usage, 'input_tokens_details');
  const all = countAt(usage, 'prompt_tokens') ?? countAt(usage, 'input_tokens');
  const cached = countAt(details, 'cached_tokens');
  const written = countAt(details, 'cache_write_tokens');
  const made = objectAt(usage, 'completion_tokens_details') ?? objectAt(usage, 'output_tokens_details');
  return {
    input_tokens: all === null ? null : Math.max(0, all - (cached ?? 0) - (written ?? 0)),
    cache_read_tokens: cached,
    cache_write_tokens: written,
    cache_write_1h_tokens: null,
    output_tokens: countAt(usage, 'completion_tokens') ?? countAt(usage, 'output_tokens'),
    reasoning_tokens: countAt(made, 'reasoning_tokens'),
    terms: term('service_tier', serviceTier, ['default', 'standard', 'auto']),
  };
}

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    ...usageBy((name) => plus(a[name], b[name])),
    cache_write_1h_tokens: plus(a.cache_write_1h_tokens, b.cache_write_1h_tokens),
    terms: [...new Set([...a.terms, ...b.terms])],
  };
}

/** All prompt tokens; null when the service does not report them. */
export function promptTokens(usage: Usage): number | null {
  const { input_tokens, cache_read_tokens, cache_write_tokens } = usage;
  return input_tokens === null ? null : input_tokens + (cache_read_tokens ?? 0) + (cache_write_tokens ?? 0);
}

function term(name: string, value: string | null, defaults: readonly string[]): readonly string[] {
  return value === null || defaults.includes(value) ? [] : [`${name}=${value}`];
}
