/** Describes a model as one service offers it: endpoint, request format and prices. */

import { utf8Bytes } from '../../../core/lib/json.ts';
import type { Clock, OwnSignal } from '../../../core/ports/platform.ts';
import type { CallEstimate, ModelRequest } from '../client/model-client.ts';
import type { LlmProvider } from '../client/provider.ts';
import type { Endpoint } from '../formats/endpoint.ts';
import type { ModelFormat } from '../formats/model-format.ts';
import { costOf, type PriceList } from '../usage/prices.ts';
import { UNKNOWN_USAGE } from '../usage/usage.ts';

export interface ServedModel {
  readonly format: ModelFormat;
  readonly provider: string;
  readonly settings: LlmProvider;
  readonly endpoint: Endpoint;
  readonly prices: PriceList;
  readonly io: ModelIo;
}

/** The platform functions that calls need. */
export interface ModelIo {
  /** Compatible with the platform's `fetch`. */
  readonly fetch: ModelFetch;
  readonly clock: Clock;
}

export type ModelFetch = (url: string, init: ModelFetchInit) => Promise<ModelResponse>;

interface ModelFetchInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  /** A redirect would send the key to another server. */
  readonly redirect: 'manual';
  readonly signal: OwnSignal;
}

export interface ModelResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): ByteReader } | null;
}

export interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** The request body: the API's fields, then the user's, which override them; null removes a field. */
export function requestBody(
  { format, settings }: Pick<ServedModel, 'format' | 'settings'>,
  request: ModelRequest,
): string {
  const { model, maxTokens, temperature, stream = true, body = {} } = settings;
  const own = format.body(request, { model, maxTokens, temperature, stream });
  const fields = Object.entries({ ...own, ...body }).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(fields));
}

/** Overestimates the tokens of most text, and of the JSON around it. */
const BYTES_PER_TOKEN = 4;

export function tokensOfText(text: string): number {
  return Math.ceil(utf8Bytes(text) / BYTES_PER_TOKEN);
}

export function estimateCall(served: ServedModel, request: ModelRequest): CallEstimate {
  const { settings, prices, io } = served;
  const prompt_tokens = tokensOfText(requestBody(served, request));
  return {
    prompt_tokens,
    max_output_tokens: request.maxTokens ?? settings.maxTokens ?? null,
    usd: (output_tokens) =>
      costOf({ ...UNKNOWN_USAGE, input_tokens: prompt_tokens, output_tokens }, settings.model, io.clock.now(), prices),
  };
}
