/** The answers of a stub model in the formats of chat completions and Anthropic Messages, streamed or complete. */

import type { ServerResponse } from 'node:http';

export interface StubRequest {
  readonly model: string;
  readonly system: string;
  /** As text, including tool results. */
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the raw request, for tests that look deeper.
  readonly body: any;
}

export interface StubCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Text, tool calls with or without text, or an HTTP error. */
export type StubAnswer =
  | string
  | { readonly text?: string; readonly calls: readonly StubCall[] }
  | { readonly status: number; readonly message: string };

export function respond(response: ServerResponse, request: StubRequest, said: StubAnswer, isAnthropic: boolean): void {
  if (typeof said === 'object' && 'status' in said) refuse(response, said.status, said.message);
  else if (isAnthropic) anthropic(response, request, wholeOf(said));
  else chat(response, request, wholeOf(said));
}

interface Whole {
  readonly words: readonly string[];
  readonly calls: readonly StubCall[];
}

function wholeOf(said: Exclude<StubAnswer, { readonly status: number }>): Whole {
  const { text = '', calls } = typeof said === 'string' ? { text: said, calls: [] } : said;
  return { words: text.match(/\s*\S+\s*/g) ?? [], calls };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { type: 'error', error: { type: 'invalid_request_error', message } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Counts a word as a token. */
function usageOf({ system, messages }: StubRequest, { words, calls }: Whole): readonly [number, number] {
  const asked = [system, ...messages.map(({ content }) => content)].join(' ').split(/\s+/).length;
  return [asked, words.length + calls.length * 10];
}

function chat(response: ServerResponse, request: StubRequest, whole: Whole): void {
  const [prompt_tokens, completion_tokens] = usageOf(request, whole);
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const finish_reason = whole.calls.length === 0 ? 'stop' : 'tool_calls';
  const tool_calls = whole.calls.map(({ name, arguments: given }, index) => {
    return { index, id: `call_${index}`, type: 'function', function: { name, arguments: JSON.stringify(given) } };
  });
  const calling = tool_calls.length === 0 ? {} : { tool_calls };
  const { model, body } = request;
  if (body.stream !== true) {
    const message = { role: 'assistant', content: whole.words.join(''), ...calling };
    return send(response, { object: 'chat.completion', model, choices: [{ index: 0, message, finish_reason }], usage });
  }
  const chunk = (delta: object, reason: string | null = null): object => {
    return { object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, finish_reason: reason }] };
  };
  const chunks = [...whole.words.map((content) => chunk({ content })), chunk(calling, finish_reason)];
  stream(response, [...chunks, { object: 'chat.completion.chunk', model, choices: [], usage }], '[DONE]');
}

function anthropic(response: ServerResponse, request: StubRequest, whole: Whole): void {
  const [input_tokens, output_tokens] = usageOf(request, whole);
  const uses = whole.calls.map(({ name, arguments: input }, index) => {
    return { type: 'tool_use', id: `toolu_${index}`, name, input };
  });
  const text = whole.words.length === 0 ? [] : [{ type: 'text', text: whole.words.join('') }];
  const stop_reason = uses.length === 0 ? 'end_turn' : 'tool_use';
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: request.model };
  const usage = { input_tokens, output_tokens };
  if (request.body.stream !== true)
    return send(response, { ...message, content: [...text, ...uses], stop_reason, usage });
  const delta = (words: string): object => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: words },
  });
  const blocks = [...text.map((block) => ({ ...block, text: '' })), ...uses].flatMap((block, index) => [
    { type: 'content_block_start', index, content_block: block },
    ...(block.type === 'text' ? whole.words.map(delta) : []),
    { type: 'content_block_stop', index },
  ]);
  const begun = { type: 'message_start', message: { ...message, content: [], usage } };
  stream(response, [
    begun,
    ...blocks,
    { type: 'message_delta', delta: { stop_reason }, usage },
    { type: 'message_stop' },
  ]);
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function stream(response: ServerResponse, events: readonly object[], last?: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end(last === undefined ? '' : `data: ${last}\n\n`);
}
