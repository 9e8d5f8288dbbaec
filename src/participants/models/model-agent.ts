/** A model as an agent: one answer to each turn, shown while it is written. */

import { AgentError } from '../agent-error.ts';
import type { AgentFn, AgentReply, ThreadContext, TurnOptions } from '../agent-fn.ts';
import { adapterMeta } from './adapter-meta.ts';
import type { ModelClient, ModelReply } from './model-client.ts';
import { threadMessages } from './thread-messages.ts';

export function modelAgent(client: ModelClient): AgentFn {
  return async (ctx: ThreadContext, systemPrompt: string, turn?: TurnOptions): Promise<AgentReply> => {
    const reply = await client.complete({
      system: systemPrompt,
      messages: threadMessages(ctx),
      ...(turn === undefined
        ? {}
        : {
            signal: turn.signal,
            onDelta: (text) => turn.onDelta(text),
            onProgress: (event) => turn.onProgress(event),
          }),
    });
    return said(reply, `${client.provider}/${client.model}`);
  };
}

/** An answer that says nothing is none: nobody makes one up. */
function said(reply: ModelReply, tool: string): AgentReply {
  const { text, tool_calls, usage, cost_usd, stop, refusal } = reply;
  if (stop === 'refused')
    throw new AgentError('no_result', `the model refused: ${refusal ?? text}`, { tool, partial: text });
  if (text.trim() === '' && tool_calls.length === 0) {
    throw new AgentError('no_result', `the model answered nothing (it stopped by ${stop})`, { tool });
  }
  const { cache_write_1h_tokens: _1h, terms: _terms, ...classes } = usage;
  const calls = tool_calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
  return {
    text,
    usage: classes,
    cost_usd,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    meta: { adapter_meta: { ...adapterMeta(reply) }, stop },
  };
}
