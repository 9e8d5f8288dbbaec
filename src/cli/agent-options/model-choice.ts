/** Parses a model such as `anthropic:claude-sonnet-5` and creates its agent or client. */

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
  /** Server URL; absent for the vendor's server. */
  readonly baseUrl?: string | undefined;
  /** A config file can refer to an environment variable with `${NAME}`. */
  readonly apiKey?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** Stream answers (default: true). */
  readonly stream?: boolean | undefined;
  /** Maximum tool rounds per turn. */
  readonly maxRounds?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Take precedence over the prices for all agents and the built-in ones. */
  readonly prices?: PriceList | undefined;
  /** Time limit of a turn including retries. */
  readonly timeoutMs?: number | undefined;
}

/** Completes the sentence "expected …". */
export const MODEL_FORM = 'anthropic:<model>, openai:<model> or responses:<model>';

const KEY_VARIABLES: Readonly<Record<ModelApi, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  responses: 'OPENAI_API_KEY',
};

const OPENAI = 'https://api.openai.com/v1';
const ONE_TRY_MS = 300_000;

/** Forbids a user or password, which would be shown in output. */
export const BASE_URL: RegExp = /^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/i;

/** null if the value names no known API. */
export function parseModelChoice(value: string): ModelChoice | null {
  const [, api, model = ''] = /^([a-z]+):(\S.*)$/.exec(value) ?? [];
  const known = MODEL_APIS.find((one) => one === api);
  return known === undefined ? null : { api: known, model };
}

export function keyVariable({ api }: ModelChoice): string {
  return KEY_VARIABLES[api];
}

/** Only a server on this machine may need no key. */
export function needsKey(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const [, host = ''] = /^https?:\/\/(\[[^\]]*\]|[^:/?#]+)/i.exec(baseUrl) ?? [];
  return host !== 'localhost' && !isLoopback(host.replace(/^\[|\]$/g, ''));
}

/** Agent and client factories, by API. */
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
