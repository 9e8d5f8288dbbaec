/** Creates model clients and model agents for a given network and clock. */

import type { AgentFn } from '../agent/agent-fn.ts';
import { callModel } from './calls/call-model.ts';
import { estimateCall, type ModelIo } from './calls/served-model.ts';
import { type ModelClient, type ModelRequest, rememberModel } from './client/model-client.ts';
import { checkSettings, type LlmProvider } from './client/provider.ts';
import { anthropicFormat } from './formats/anthropic.ts';
import { chatFormat } from './formats/chat-completions.ts';
import { resolveEndpoint } from './formats/endpoint.ts';
import type { ModelFormat } from './formats/model-format.ts';
import { responsesFormat } from './formats/responses.ts';
import { type ModelAgentOptions, modelAgent } from './model-agent.ts';
import { KNOWN_PRICES, priceWarning, withPrices } from './usage/prices.ts';

/** `baseUrl` defaults to Anthropic's or OpenAI's own API. */
export type ModelProvider = Omit<LlmProvider, 'baseUrl'> & { readonly baseUrl?: string | undefined };

export interface Models {
  /** Chat completions, from OpenAI or a compatible server. */
  createChatClient(provider: LlmProvider): ModelClient;
  createAnthropicClient(provider: ModelProvider): ModelClient;
  createResponsesClient(provider: ModelProvider): ModelClient;
  /** One chat completion per turn: `{baseUrl, apiKey, model}`. */
  createLlmAdapter(provider: LlmProvider): AgentFn;
  createAnthropicAdapter(provider: ModelProvider): AgentFn;
  createResponsesAdapter(provider: ModelProvider): AgentFn;
}

export function createModels(io: ModelIo): Models {
  const createChatClient = (provider: LlmProvider): ModelClient => createClient(chatFormat, provider, io);
  const createAnthropicClient = ({ baseUrl = 'https://api.anthropic.com', ...provider }: ModelProvider): ModelClient =>
    createClient(anthropicFormat, { ...provider, baseUrl: withoutVersion(baseUrl) }, io);
  const createResponsesClient = ({ baseUrl = 'https://api.openai.com/v1', ...provider }: ModelProvider): ModelClient =>
    createClient(responsesFormat, { ...provider, baseUrl }, io);
  return {
    createChatClient,
    createAnthropicClient,
    createResponsesClient,
    createLlmAdapter: (provider) => createAgent(createChatClient(provider), provider),
    createAnthropicAdapter: (provider) => createAgent(createAnthropicClient(provider), provider),
    createResponsesAdapter: (provider) => createAgent(createResponsesClient(provider), provider),
  };
}

function createAgent(client: ModelClient, options: ModelAgentOptions): AgentFn {
  return rememberModel(modelAgent(client, options), client);
}

function createClient(format: ModelFormat, settings: LlmProvider, io: ModelIo): ModelClient {
  checkSettings(settings);
  const endpoint = resolveEndpoint(settings, format);
  const prices = settings.prices === undefined ? KNOWN_PRICES : withPrices(settings.prices);
  const { model, provider = format.provider } = settings;
  const served = { format, provider, settings, endpoint, prices, io };
  let isWarned = false;
  const warn = (onProgress: ModelRequest['onProgress']): void => {
    const warning = isWarned || onProgress === undefined ? null : priceWarning(prices, io.clock.now());
    if (warning === null) return;
    isWarned = true;
    onProgress?.({ kind: 'note', text: warning });
  };
  return {
    provider,
    model,
    complete(request) {
      warn(request.onProgress);
      return callModel(served, request);
    },
    estimate: (request) => estimateCall(served, request),
  };
}

/** Accepts addresses with and without the version. */
function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v1\/?(?=\?|$)/, '');
}
