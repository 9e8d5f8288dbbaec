/** What a request may come to, before it is sent: a guess of the prompt by its length, and prices as they are known. Pure. */

import { utf8Bytes } from '../../core/lib/json.ts';
import type { Served } from './calls/call-model.ts';
import { costOf } from './cost.ts';
import type { CallEstimate, ModelRequest } from './client/model-client.ts';
import { requestBody } from './request-body.ts';
import { UNKNOWN_USAGE } from './usage/usage.ts';

/** English has more, code and most other writing fewer: with what JSON adds it is rather too many tokens than too few. */
const BYTES_PER_TOKEN = 4;

export function tokensOfText(text: string): number {
  return Math.ceil(utf8Bytes(text) / BYTES_PER_TOKEN);
}

export function estimateOf(served: Served, request: ModelRequest): CallEstimate {
  const { settings, prices, io } = served;
  const prompt_tokens = tokensOfText(requestBody(served, request));
  return {
    prompt_tokens,
    max_output_tokens: request.maxTokens ?? settings.maxTokens ?? null,
    usd: (output_tokens) =>
      costOf({ ...UNKNOWN_USAGE, input_tokens: prompt_tokens, output_tokens }, settings.model, io.clock.now(), prices),
  };
}
