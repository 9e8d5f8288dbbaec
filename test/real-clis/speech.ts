/** A streamed answer in the format of each CLI's service, all with the same token counts. */

import type { AgentName } from './recipes.ts';

/** The first part and the rest of a stream. */
export interface Speech {
  readonly begun: string;
  readonly rest: string;
}

/** 100 input tokens, 40 of them cached; 7 output tokens, 2 of them thoughts. */
export const COUNTED = { input: 100, cached: 40, output: 7, thoughts: 2 } as const;

export const SPEECHES: Readonly<Record<AgentName, (text: string) => Speech>> = {
  claude: messages,
  codex: responses,
  gemini: generateContent,
  opencode: chatCompletions,
};

function messages(text: string): Speech {
  const usage = {
    input_tokens: COUNTED.input - COUNTED.cached,
    cache_read_input_tokens: COUNTED.cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const message = {
    id: `msg_${idOf(text)}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const [first, second] = halves(text).map((half) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: half } }),
  );
  const begin = named({ type: 'message_start', message });
  const block = named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  const stop = { stop_reason: 'end_turn', stop_sequence: null };
  const end = [
    named({ type: 'content_block_stop', index: 0 }),
    named({ type: 'message_delta', delta: stop, usage: { output_tokens: COUNTED.output } }),
    named({ type: 'message_stop' }),
  ];
  return { begun: `${begin}${block}${first}`, rest: `${second}${end.join('')}` };
}

function responses(text: string): Speech {
  const id = `resp_${idOf(text)}`;
  const item = {
    type: 'message',
    id: `msg_${idOf(text)}`,
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  };
  const usage = {
    input_tokens: COUNTED.input,
    input_tokens_details: { cached_tokens: COUNTED.cached },
    output_tokens: COUNTED.output,
    output_tokens_details: { reasoning_tokens: COUNTED.thoughts },
    total_tokens: COUNTED.input + COUNTED.output,
  };
  const done = named({ type: 'response.output_item.done', output_index: 0, item });
  return {
    begun: named({ type: 'response.created', response: { id } }),
    rest: `${done}${named({ type: 'response.completed', response: { id, usage } })}`,
  };
}

function generateContent(text: string): Speech {
  const usageMetadata = {
    promptTokenCount: COUNTED.input,
    cachedContentTokenCount: COUNTED.cached,
    candidatesTokenCount: COUNTED.output - COUNTED.thoughts,
    thoughtsTokenCount: COUNTED.thoughts,
    totalTokenCount: COUNTED.input + COUNTED.output,
  };
  const [first, second] = halves(text).map((half) => ({ role: 'model', parts: [{ text: half }] }));
  return {
    begun: data({ candidates: [{ index: 0, content: first }] }),
    rest: data({ candidates: [{ index: 0, content: second, finishReason: 'STOP' }], usageMetadata }),
  };
}

function chatCompletions(text: string): Speech {
  const chunk = (choices: readonly object[], more: object = {}): string =>
    data({ id: `chat_${idOf(text)}`, object: 'chat.completion.chunk', model: 'stub-model', choices, ...more });
  const [first, second] = halves(text);
  const usage = {
    prompt_tokens: COUNTED.input,
    prompt_tokens_details: { cached_tokens: COUNTED.cached },
    completion_tokens: COUNTED.output,
    completion_tokens_details: { reasoning_tokens: COUNTED.thoughts },
    total_tokens: COUNTED.input + COUNTED.output,
  };
  const rest = [
    chunk([{ index: 0, delta: { content: second }, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ];
  return {
    begun: chunk([{ index: 0, delta: { role: 'assistant', content: first }, finish_reason: null }]),
    rest: rest.join(''),
  };
}

function halves(text: string): readonly [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** Unique per answer of a conversation. */
function idOf(text: string): string {
  return Buffer.from(text).toString('hex').slice(0, 40);
}

function named(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\n${data(event)}`;
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
