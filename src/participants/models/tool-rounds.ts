/** Answers a turn in rounds: the model calls tools, gets their results and is asked again. */

import { unlessAborted } from '../../client/lib/unless-aborted.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { AgentTool, ToolResult, TurnOptions } from '../agent/agent-fn.ts';
import {
  assistantMessage,
  type ModelClient,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelToolCall,
} from './client/model-client.ts';

export const MAX_ROUNDS = 8;
/** Calls in one answer; more mean that the model loops. */
const MAX_CALLS = 16;
/** Keeps tool results from crowding out the rest of the thread. */
const MAX_RESULT_CHARS = 20_000;

export interface Rounds {
  readonly replies: readonly ModelReply[];
  /** The call that ended the turn, if any. */
  readonly ends: ToolResult['ends'];
}

interface RoundsOptions {
  readonly tools: readonly AgentTool[];
  readonly maxRounds: number;
  readonly turn: Pick<TurnOptions, 'signal' | 'onProgress'>;
}

/** After `maxRounds` tool rounds the model is asked once more, without calling tools. */
export async function answerInRounds(
  client: ModelClient,
  request: ModelRequest,
  options: RoundsOptions,
): Promise<Rounds> {
  const { tools, maxRounds, turn } = options;
  const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const replies: ModelReply[] = [];
  const messages: ModelMessage[] = [...request.messages];
  for (let round = 1; ; round += 1) {
    const isLast = round > maxRounds;
    // The last request still lists the tools: APIs require the tools whose calls are in the messages.
    const asked = {
      ...request,
      messages: [...messages],
      tools: offered,
      ...(isLast ? { toolChoice: 'none' as const } : {}),
    };
    const reply = await client.complete(asked);
    replies.push(reply);
    if (reply.tool_calls.length === 0 || reply.stop === 'refused' || isLast) return { replies, ends: undefined };
    messages.push(assistantMessage(reply));
    for (const [at, call] of reply.tool_calls.entries()) {
      const result = at < MAX_CALLS ? await called(client, tools, call, turn) : TOO_MANY;
      if (result.ends !== undefined) return { replies, ends: result.ends };
      messages.push(resultMessage(call, result));
    }
  }
}

const TOO_MANY: ToolResult = {
  is_error: true,
  text: `Error: at most ${MAX_CALLS} calls per answer; this one was skipped`,
};

function resultMessage({ id }: ModelToolCall, { text, is_error = false }: ToolResult): ModelMessage {
  const content = text.length <= MAX_RESULT_CHARS ? text : `${text.slice(0, MAX_RESULT_CHARS)} … (cut)`;
  return { role: 'tool', tool_call_id: id, content, ...(is_error ? { is_error } : {}) };
}

async function called(
  { provider, model }: ModelClient,
  tools: readonly AgentTool[],
  { name, arguments: args }: ModelToolCall,
  { signal, onProgress }: RoundsOptions['turn'],
): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) {
    const there = tools.map((one) => one.name).join(', ');
    return { is_error: true, text: `Error: unknown tool ${JSON.stringify(name.slice(0, 80))}; available: ${there}` };
  }
  const ended = (): AgentError =>
    new AgentError('aborted', `cancelled in a call of ${name}`, { tool: `${provider}/${model}` });
  if (signal.aborted) throw ended();
  onProgress({ kind: 'tool', text: name });
  try {
    // Do not wait for a tool that ignores the signal.
    return await unlessAborted(tool.call(args, signal), signal);
  } catch (thrown) {
    if (signal.aborted) throw ended();
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { is_error: true, text: `Error: ${name} failed: ${why.slice(0, 500)}` };
  }
}
