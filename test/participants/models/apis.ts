// The answers of the three APIs, so that one test can run over all of them.

import type { JsonObject } from 'parley-hub/core';
import type { ModelClient, ModelProvider, Models } from '../../../src/participants/models/index.ts';
import { frame } from './stub-model.ts';

export interface Api {
  readonly name: string;
  readonly path: string;
  /** Appended to the origin of the server. */
  readonly base: string;
  client(models: Models, provider: ModelProvider & { readonly baseUrl: string }): ModelClient;
  /** Frames of an answer with these texts, 10 tokens in and 5 out. */
  says(...texts: readonly string[]): readonly string[];
  /** Frames of an answer that calls a tool, with its arguments in parts. */
  calls(name: string, ...pieces: readonly string[]): readonly string[];
  /** The same answer in one piece. */
  whole(text: string): JsonObject;
  error(type: string, message?: string): string;
  /** The body of an HTTP error. */
  refusal(type: string, message?: string): JsonObject;
}

const ANTHROPIC_USAGE = { input_tokens: 10, output_tokens: 5 };
const CHAT_USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const RESPONSES_USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

function event(data: JsonObject & { readonly type: string }): string {
  return frame(data, data.type);
}

function anthropicBlock(block: JsonObject, deltas: readonly JsonObject[], stop: string): readonly string[] {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude-served', content: [] };
  return [
    event({ type: 'message_start', message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } }),
    event({ type: 'ping' }),
    event({ type: 'content_block_start', index: 0, content_block: block }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index: 0, delta })),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 5 } }),
    event({ type: 'message_stop' }),
  ];
}

export const anthropic: Api = {
  name: 'Anthropic Messages',
  path: '/v1/messages',
  base: '',
  client: (models, provider) => models.createAnthropicClient(provider),
  says: (...texts) =>
    anthropicBlock(
      { type: 'text', text: '' },
      texts.map((text) => ({ type: 'text_delta', text })),
      'end_turn',
    ),
  calls: (name, ...pieces) =>
    anthropicBlock(
      { type: 'tool_use', id: 'call_a', name, input: {} },
      pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      'tool_use',
    ),
  whole: (text) => ({
    type: 'message',
    model: 'claude-served',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: ANTHROPIC_USAGE,
  }),
  error: (type, message = 'no') => event({ type: 'error', error: { type, message } }),
  refusal: (type, message = 'no') => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
};

function chunk(delta: JsonObject, finish_reason: string | null = null): string {
  return frame({ object: 'chat.completion.chunk', model: 'served', choices: [{ index: 0, delta, finish_reason }] });
}

export const chat: Api = {
  name: 'chat completions',
  path: '/v1/chat/completions',
  base: '/v1',
  client: (models, provider) => models.createChatClient(provider),
  says: (...texts) => [
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    frame({ object: 'chat.completion.chunk', model: 'served', choices: [], usage: CHAT_USAGE }),
    frame('[DONE]'),
  ],
  calls: (name, ...pieces) => [
    chunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name, arguments: '' } }] }),
    ...pieces.map((part) => chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] })),
    chunk({}, 'tool_calls'),
    frame({ object: 'chat.completion.chunk', choices: [], usage: CHAT_USAGE }),
    frame('[DONE]'),
  ],
  whole: (content) => ({
    object: 'chat.completion',
    model: 'served',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: CHAT_USAGE,
  }),
  error: (type, message = 'no') => frame({ error: { type, message, code: null, param: null } }),
  refusal: (type, message = 'no') => ({ error: { message, type, param: null, code: null } }),
};

function completed(output: readonly JsonObject[]): string {
  const response = { id: 'r', model: 'served', status: 'completed', output, usage: RESPONSES_USAGE };
  return event({ type: 'response.completed', response });
}

export const responses: Api = {
  name: 'Responses',
  path: '/v1/responses',
  base: '/v1',
  client: (models, provider) => models.createResponsesClient(provider),
  says: (...texts) => {
    const content = [{ type: 'output_text', text: texts.join(''), annotations: [] }];
    const item = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content };
    return [
      event({ type: 'response.created', response: { id: 'r', status: 'in_progress' } }),
      ...texts.map((delta) => event({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta })),
      event({ type: 'response.output_item.done', output_index: 0, item }),
      completed([item]),
    ];
  },
  calls: (name, ...pieces) => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name, arguments: pieces.join('') };
    return [
      ...pieces.map((delta) => event({ type: 'response.function_call_arguments.delta', output_index: 0, delta })),
      event({ type: 'response.output_item.done', output_index: 0, item }),
      completed([item]),
    ];
  },
  whole: (text) => ({
    object: 'response',
    model: 'served',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
    usage: RESPONSES_USAGE,
  }),
  error: (code, message = 'no') =>
    event({ type: 'response.failed', response: { status: 'failed', error: { code, message } } }),
  refusal: (type, message = 'no') => ({ error: { message, type, param: null, code: null } }),
};

export const apis: readonly Api[] = [anthropic, chat, responses];
