/** What a call came to, as records keep it. Pure. */

import type { ModelReply } from './client/model-client.ts';
import { promptTokens } from './usage/usage.ts';

export interface AdapterMeta {
  readonly model: string;
  readonly provider: string;
  /** All that was read, from the cache or not. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  /** null = unknown, which is not 0. */
  readonly cost_usd: number | null;
  readonly latency_ms: number;
  readonly retries: number;
}

export function adapterMeta(reply: ModelReply): AdapterMeta {
  const { model, provider, usage, cost_usd, latency_ms, retries } = reply;
  const input_tokens = promptTokens(usage);
  const { output_tokens } = usage;
  const total_tokens = input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens;
  return { model, provider, input_tokens, output_tokens, total_tokens, cost_usd, latency_ms, retries };
}
