/** The models one can ask, on a given network and clock. */

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

/** Where the address is known: Anthropic's own, and OpenAI's own. */
export type ModelProvider = Omit<LlmProvider, 'baseUrl'> & { readonly baseUrl?: string | undefined };

export interface Models {
  /** Chat completions, of OpenAI or of any server that is compatible. */
  createChatClient(provider: LlmProvider): ModelClient;
  createAnthropicClient(provider: ModelProvider): ModelClient;
  createResponsesClient(provider: ModelProvider): ModelClient;
  /** One chat completion for each turn: `{baseUrl, apiKey, model}`. */
  createLlmAdapter(provider: LlmProvider): AgentFn;
  createAnthropicAdapter(provider: ModelProvider): AgentFn;
  createResponsesAdapter(provider: ModelProvider): AgentFn;
}

export function createModels(io: ModelIo): Models {
  const createChatClient = (provider: LlmProvider): ModelClient => clientOf(chatFormat, provider, io);
  const createAnthropicClient = (provider: ModelProvider): ModelClient =>
    clientOf(
      anthropicFormat,
      { ...provider, baseUrl: withoutVersion(provider.baseUrl ?? 'https://api.anthropic.com') },
      io,
    );
  const createResponsesClient = (provider: ModelProvider): ModelClient =>
    clientOf(responsesFormat, { ...provider, baseUrl: provider.baseUrl ?? 'https://api.openai.com/v1' }, io);
  return {
    createChatClient,
    createAnthropicClient,
    createResponsesClient,
    createLlmAdapter: (provider) => agentOf(createChatClient(provider), provider),
    createAnthropicAdapter: (provider) => agentOf(createAnthropicClient(provider), provider),
    createResponsesAdapter: (provider) => agentOf(createResponsesClient(provider), provider),
  };
}

function agentOf(client: ModelClient, options: ModelAgentOptions): AgentFn {
  return rememberModel(modelAgent(client, options), client);
}

function clientOf(format: ModelFormat, settings: LlmProvider, io: ModelIo): ModelClient {
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

/** Some write the version into the address, some do not. */
function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v1\/?(?=\?|$)/, '');
}
