/** A model as one types it, `anthropic:claude-sonnet-5`: which API it is, where its key is, and the agent that asks it. */

import type { AgentFn } from '../../participants/agent/agent-fn.ts';
import type { ModelClient, ModelProvider, PriceList } from '../../participants/models/index.ts';
import {
  createAnthropicAdapter,
  createAnthropicClient,
  createChatClient,
  createLlmAdapter,
  createResponsesAdapter,
  createResponsesClient,
} from '../../participants/node-models.ts';
import { isLoopback } from '../../server/auth/hosts.ts';

const MODEL_APIS = ['anthropic', 'openai', 'responses'] as const;
type ModelApi = (typeof MODEL_APIS)[number];

export interface ModelChoice {
  readonly api: ModelApi;
  readonly model: string;
}

export interface ModelSettings {
  /** Where it is served, unless at its maker's. */
  readonly baseUrl?: string | undefined;
  /** In a config file `${NAME}` takes it from the environment. */
  readonly apiKey?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Whether answers come in pieces; on unless a server cannot. */
  readonly stream?: boolean | undefined;
  /** Rounds of tools in one turn. */
  readonly maxRounds?: number | undefined;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Before those for all agents and those we know. */
  readonly prices?: PriceList | undefined;
  /** A whole turn, with every try. */
  readonly timeoutMs?: number | undefined;
}

/** As the end of the sentence "expected …". */
export const MODEL_FORM = 'anthropic:<model>, openai:<model> or responses:<model>';

const KEY_VARIABLES: Readonly<Record<ModelApi, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  responses: 'OPENAI_API_KEY',
};

const OPENAI = 'https://api.openai.com/v1';
const ONE_TRY_MS = 300_000;

/** An address as it is taken: a user or a password in it would be shown. */
export const BASE_URL: RegExp = /^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/i;

/** null = it names no API. */
export function parseModelChoice(value: string): ModelChoice | null {
  const [, api, model = ''] = /^([a-z]+):(\S.*)$/.exec(value) ?? [];
  const known = MODEL_APIS.find((one) => one === api);
  return known === undefined ? null : { api: known, model };
}

export function keyVariable({ api }: ModelChoice): string {
  return KEY_VARIABLES[api];
}

/** A server on this machine may want no key; any other does. */
export function needsKey(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const [, host = ''] = /^https?:\/\/(\[[^\]]*\]|[^:/?#]+)/i.exec(baseUrl) ?? [];
  return host !== 'localhost' && !isLoopback(host.replace(/^\[|\]$/g, ''));
}

/** What each API makes of a model: an agent that takes turns, and a client for whoever asks it something else. */
const MAKERS: Readonly<Record<ModelApi, Makers>> = {
  anthropic: { agent: createAnthropicAdapter, client: createAnthropicClient },
  responses: { agent: createResponsesAdapter, client: createResponsesClient },
  openai: {
    agent: (provider) => createLlmAdapter({ ...provider, baseUrl: provider.baseUrl ?? OPENAI }),
    client: (provider) => createChatClient({ ...provider, baseUrl: provider.baseUrl ?? OPENAI }),
  },
};

interface Makers {
  agent(provider: ModelProvider): AgentFn;
  client(provider: ModelProvider): ModelClient;
}

export function agentForModel(choice: ModelChoice, settings: ModelSettings): AgentFn {
  return MAKERS[choice.api].agent(providerOf(choice, settings));
}

export function clientForModel(choice: ModelChoice, settings: ModelSettings): ModelClient {
  return MAKERS[choice.api].client(providerOf(choice, settings));
}

function providerOf({ model }: ModelChoice, { timeoutMs, ...settings }: ModelSettings): ModelProvider {
  const times = timeoutMs === undefined ? {} : { totalMs: timeoutMs, timeoutMs: Math.min(timeoutMs, ONE_TRY_MS) };
  return { ...settings, ...times, model };
}
