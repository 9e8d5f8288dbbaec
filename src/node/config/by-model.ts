/** An agent of a config file that is a model. */

import { durationMs } from '../../core/time.ts';
import { modelOf } from '../../participants/models/model-of.ts';
import { type PriceList, withPrices } from '../../participants/models/usage/prices.ts';
import { agentOfModel, keyVariable, modelChoice } from '../../cli/agent-options/model-choice.ts';
import type { AgentConfig } from '../../config/shape/config.ts';
import type { PreparedAgent } from '../../config/prepare-agent.ts';
import type { KeyPath } from './source.ts';
import { checkCost } from './unfit.ts';

/** Its settings were checked: a choice of model and a key are there. */
export function byModel(
  path: KeyPath,
  settings: AgentConfig,
  prices: PriceList | undefined,
  env: NodeJS.ProcessEnv,
): Pick<PreparedAgent, 'agent' | 'provider' | 'model'> {
  const choice = modelChoice(settings.model ?? '');
  if (choice === null) throw new Error('expected a model');
  const { baseUrl, apiKey = env[keyVariable(choice)], maxTokens, temperature, stream, maxRounds, headers } = settings;
  const timeoutMs = settings.timeout === undefined ? undefined : durationMs(settings.timeout, 'timeout');
  const own = settings.prices === undefined ? prices : withPrices(settings.prices, prices);
  const asked = { baseUrl, apiKey, maxTokens, temperature, stream, maxRounds, headers, prices: own, timeoutMs };
  const agent = agentOfModel(choice, asked);
  if (modelOf(agent)?.estimate?.({ messages: [] }).usd(1) === null)
    checkCost(path, settings, `${choice.model} has no known price`, 'give its prices');
  return { agent, provider: choice.api, model: choice.model };
}
