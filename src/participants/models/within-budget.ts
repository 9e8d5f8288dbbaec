/** Limits a model client to a budget: checks each call before it is made and counts it afterwards. */

import { isAgentError } from '../agent/agent-error.ts';
import type { BudgetRequest, Meter, TurnBudget } from '../agent/agent-fn.ts';
import { Account } from '../budget/account.ts';
import { TurnMeter } from '../budget/turn-meter.ts';
import { tokensOfText } from './calls/served-model.ts';
import type { CallEstimate, ModelClient, ModelReply, ModelRequest } from './client/model-client.ts';
import { promptTokens } from './usage/usage.ts';

/** Output limits for a request that sets none: the default, and the least worth starting. */
const DEFAULT_OUTPUT = 8_192;
const LEAST_OUTPUT = 256;

/** Returns the client itself when there is no budget. */
export function withinBudget(client: ModelClient, budget: TurnBudget | undefined): ModelClient {
  const meter = meterOf(budget);
  if (meter === null) return client;
  return { ...client, complete: (request) => counted(client, request, meter) };
}

function meterOf(budget: TurnBudget | undefined): Meter | null {
  if (budget === undefined) return null;
  const { usd, tokens, meter } = budget;
  if (meter !== undefined) return meter;
  return usd === undefined && tokens === undefined
    ? null
    : new TurnMeter([new Account('the budget for this turn', { usd, tokens }, 'refuse')]);
}

async function counted(client: ModelClient, request: ModelRequest, meter: Meter): Promise<ModelReply> {
  const estimate = client.estimate?.(request) ?? guess(request);
  const { outputTokens, isBound } = outputOf(estimate, meter);
  const held = meter.hold(needOf(client, estimate, outputTokens));
  let used: { readonly tokens: number; readonly usd: number | null } = { tokens: 0, usd: 0 };
  try {
    const reply = await client.complete(isBound ? { ...request, maxTokens: outputTokens } : request);
    used = { tokens: tokensOf(reply, estimate), usd: reply.cost_usd };
    return reply;
  } catch (thrown) {
    // Count the usage that a failed call reports.
    const call = isAgentError(thrown) ? thrown.details.call : undefined;
    if (call?.usage != null)
      used = { tokens: (promptTokens(call.usage) ?? 0) + (call.usage.output_tokens ?? 0), usd: call.cost_usd };
    throw thrown;
  } finally {
    held.settle(used);
  }
}

/** The answer's token limit: the request's own, otherwise what the remaining budget allows. */
function outputOf(estimate: CallEstimate, meter: Meter): { readonly outputTokens: number; readonly isBound: boolean } {
  const { max_output_tokens: most, prompt_tokens } = estimate;
  if (most !== null) return { outputTokens: most, isBound: false };
  const { usd, tokens } = meter.left();
  if (usd === null && tokens === null) return { outputTokens: 0, isBound: false };
  const byTokens = tokens === null ? DEFAULT_OUTPUT : tokens - prompt_tokens;
  const byUsd = usd === null ? DEFAULT_OUTPUT : affordableFor(usd, estimate);
  const affordable = Math.min(DEFAULT_OUTPUT, byTokens, byUsd);
  return { outputTokens: Math.max(LEAST_OUTPUT, affordable), isBound: true };
}

function affordableFor(usd: number, estimate: CallEstimate): number {
  const prompt = estimate.usd(0);
  const withAnswer = estimate.usd(DEFAULT_OUTPUT);
  if (prompt === null || withAnswer === null || withAnswer <= prompt) return DEFAULT_OUTPUT;
  return Math.floor(((usd - prompt) / (withAnswer - prompt)) * DEFAULT_OUTPUT);
}

function needOf(
  { provider, model }: ModelClient,
  { prompt_tokens, usd }: CallEstimate,
  outputTokens: number,
): BudgetRequest {
  return {
    tool: `${provider}/${model}`,
    tokens: prompt_tokens + outputTokens,
    usd: usd(outputTokens),
    made: `about ${prompt_tokens} tokens for the prompt, up to ${outputTokens} for the answer`,
  };
}

/** Estimates counts that a service does not report: a limit must not treat them as 0. */
function tokensOf({ usage, text }: ModelReply, { prompt_tokens }: CallEstimate): number {
  return (promptTokens(usage) ?? prompt_tokens) + (usage.output_tokens ?? tokensOfText(text));
}

/** Estimates a request for clients without `estimate`. */
function guess({ system = '', messages, tools = [], maxTokens }: ModelRequest): CallEstimate {
  const prompt_tokens = tokensOfText(JSON.stringify([system, messages, tools]));
  return { prompt_tokens, max_output_tokens: maxTokens ?? null, usd: () => null };
}
