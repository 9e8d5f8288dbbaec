/** A model that is asked only for what may still be spent: each call is judged before it, and counted after it. */

import { isAgentError } from '../agent/agent-error.ts';
import type { BudgetRequest, Meter, TurnBudget } from '../agent/agent-fn.ts';
import { Account } from '../budget/account.ts';
import { TurnMeter } from '../budget/turn-meter.ts';
import { tokensOfText } from './calls/served-model.ts';
import type { CallEstimate, ModelClient, ModelReply, ModelRequest } from './client/model-client.ts';
import { promptTokens } from './usage/usage.ts';

/** An answer that nobody bounded may have so much, if there is as much; and with less than this it is not begun. */
const USUAL_OUTPUT = 8_192;
const LEAST_OUTPUT = 256;

/** The client itself where there is no budget. */
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
    // As far as it told.
    const call = isAgentError(thrown) ? thrown.details.call : undefined;
    if (call?.usage != null)
      used = { tokens: (promptTokens(call.usage) ?? 0) + (call.usage.output_tokens ?? 0), usd: call.cost_usd };
    throw thrown;
  } finally {
    held.settle(used);
  }
}

/** What an answer may have; without a bound of its own, what is left is one. */
function outputOf(estimate: CallEstimate, meter: Meter): { readonly outputTokens: number; readonly isBound: boolean } {
  const { max_output_tokens: most, prompt_tokens } = estimate;
  if (most !== null) return { outputTokens: most, isBound: false };
  const { usd, tokens } = meter.left();
  if (usd === null && tokens === null) return { outputTokens: 0, isBound: false };
  const byTokens = tokens === null ? USUAL_OUTPUT : tokens - prompt_tokens;
  const affordable = Math.min(USUAL_OUTPUT, byTokens, usd === null ? USUAL_OUTPUT : affordableFor(usd, estimate));
  return { outputTokens: Math.max(LEAST_OUTPUT, affordable), isBound: true };
}

function affordableFor(usd: number, estimate: CallEstimate): number {
  const prompt = estimate.usd(0);
  const with_answer = estimate.usd(USUAL_OUTPUT);
  if (prompt === null || with_answer === null || with_answer <= prompt) return USUAL_OUTPUT;
  return Math.floor(((usd - prompt) / (with_answer - prompt)) * USUAL_OUTPUT);
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

/** What a service does not tell is guessed: a limit that counts nothing would be none. */
function tokensOf({ usage, text }: ModelReply, { prompt_tokens }: CallEstimate): number {
  return (promptTokens(usage) ?? prompt_tokens) + (usage.output_tokens ?? tokensOfText(text));
}

/** Of a client that cannot say it. */
function guess({ system = '', messages, tools = [], maxTokens }: ModelRequest): CallEstimate {
  const prompt_tokens = tokensOfText(JSON.stringify([system, messages, tools]));
  return { prompt_tokens, max_output_tokens: maxTokens ?? null, usd: () => null };
}
