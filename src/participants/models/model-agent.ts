/** Makes a model an agent: streams one answer per turn, after the tool calls it needs. */

import { AgentError, type FailedCall } from '../agent/agent-error.ts';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from '../agent/agent-fn.ts';
import type { ModelClient, ModelReply } from './client/model-client.ts';
import { threadMessages } from './client/thread-messages.ts';
import { answerInRounds, MAX_ROUNDS, type Rounds } from './tool-rounds.ts';
import { addCosts } from './usage/prices.ts';
import { addUsage, promptTokens } from './usage/usage.ts';
import { withinBudget } from './within-budget.ts';

export interface ModelAgentOptions {
  /** Maximum tool rounds per turn (default: 8). */
  readonly maxRounds?: number | undefined;
}

export function modelAgent(client: ModelClient, { maxRounds = MAX_ROUNDS }: ModelAgentOptions = {}): AgentFn {
  if (!Number.isSafeInteger(maxRounds) || maxRounds < 1)
    throw new TypeError(`maxRounds: expected a whole number >= 1, got ${maxRounds}`);
  return async (ctx: ThreadContext, systemPrompt: string, turn?: TurnOptions): Promise<AgentReply> => {
    const heard = heardBy(turn);
    const request = { system: systemPrompt, messages: threadMessages(ctx), ...heard };
    const kept = withinBudget(client, turn?.budget);
    const tools = turn?.tools ?? [];
    const rounds =
      heard === undefined || tools.length === 0
        ? { replies: [await kept.complete(request)], ends: undefined }
        : await answerInRounds(kept, request, { tools, maxRounds, turn: heard });
    return said(rounds, tools.length > 0, `${client.provider}/${client.model}`);
  };
}

/** Separates the streamed text of several rounds by blank lines, as in the final answer. */
function heardBy(turn: TurnOptions | undefined): Pick<TurnOptions, 'signal' | 'onDelta' | 'onProgress'> | undefined {
  if (turn === undefined) return undefined;
  let isShown = false;
  let isNewRound = false;
  return {
    signal: turn.signal,
    onDelta(text) {
      turn.onDelta(isNewRound && isShown ? `\n\n${text}` : text);
      isNewRound = false;
      isShown = true;
    },
    onProgress(event) {
      if (event.kind === 'tool') isNewRound = true;
      turn.onProgress(event);
    },
  };
}

/** Builds the reply; an empty answer is an error. */
function said({ replies, ends }: Rounds, hadTools: boolean, tool: string): AgentReply {
  const reply = mergeReplies(replies);
  const { usage, cost_usd, stop, refusal } = reply;
  const text = paragraphs([
    ...replies.map((one) => one.text),
    ...(ends?.route === undefined ? [ends?.text ?? ''] : []),
  ]);
  const about = { tool, call: answeredCall(reply) };
  if (stop === 'refused')
    throw new AgentError('no_result', `the model refused: ${refusal ?? text}`, { ...about, partial: text });
  const calls = callsOf(reply, ends, hadTools);
  if (text === '' && calls.length === 0) throw new AgentError('no_result', nothing(replies, hadTools), about);
  const { cache_write_1h_tokens: _1h, terms: _terms, ...classes } = usage;
  return {
    text,
    usage: classes,
    cost_usd,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    meta: {
      adapter_meta: { ...adapterMeta(reply) },
      stop,
      ...(replies.length === 1 ? {} : { rounds: replies.length }),
    },
  };
}

/** Details of a call that succeeded and was paid for, although the turn fails. */
function answeredCall({ request_id, retries, usage, cost_usd }: ModelReply): FailedCall {
  const service = { status: 200, code: null, request_id, refuses_forced_tools: false };
  return { class: 'permanent', ...service, retries, usage, cost_usd };
}

/** If we offered tools, their calls were answered and stay internal; otherwise the calls are for the caller. */
function callsOf({ tool_calls }: ModelReply, ends: Rounds['ends'], hadTools: boolean): AgentReply['tool_calls'] & {} {
  if (ends !== undefined) return ends.route === undefined ? [] : [ends.route];
  return hadTools ? [] : tool_calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
}

function nothing(replies: readonly ModelReply[], hadTools: boolean): string {
  const stop = replies.at(-1)?.stop;
  if (!hadTools || replies.length === 1) return `the model answered nothing (it stopped by ${stop})`;
  return `the model answered nothing after ${replies.length - 1} rounds of tools (it stopped by ${stop})`;
}

function paragraphs(texts: readonly string[]): string {
  const parts = texts.filter((text, at) => text.trim() !== '' && text.trim() !== texts[at - 1]?.trim());
  return parts.length === 1 ? (parts[0] ?? '') : parts.map((text) => text.trim()).join('\n\n');
}

function mergeReplies(replies: readonly ModelReply[]): ModelReply {
  return replies.reduce((before, reply) => ({
    ...reply,
    usage: addUsage(before.usage, reply.usage),
    cost_usd: addCosts(before.cost_usd, reply.cost_usd),
    latency_ms: before.latency_ms + reply.latency_ms,
    retries: before.retries + reply.retries,
  }));
}

export interface AdapterMeta extends Pick<ModelReply, 'model' | 'provider' | 'cost_usd' | 'latency_ms' | 'retries'> {
  /** All prompt tokens, cached or not. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
}

export function adapterMeta(reply: ModelReply): AdapterMeta {
  const { model, provider, usage, cost_usd, latency_ms, retries } = reply;
  const input_tokens = promptTokens(usage);
  const { output_tokens } = usage;
  const total_tokens = input_tokens === null || output_tokens === null ? null : input_tokens + output_tokens;
  return { model, provider, input_tokens, output_tokens, total_tokens, cost_usd, latency_ms, retries };
}
