/** An answer in Anthropic's messages format, complete or streamed: a tool call or a final text. */

import type { ServerResponse } from 'node:http';
import type { Answered, Brain, Move } from './brain.ts';

const PREFIX = 'mcp__parley__';

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly content?: string | readonly { readonly text?: string }[];
}

export interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

export function answerMessages(request: MessagesRequest, brain: Brain, response: ServerResponse): void {
  const history = historyOf(request);
  // Side requests, such as for a title, have no tools.
  const hasTools = request.tools?.some(({ name }) => name.startsWith(PREFIX)) === true;
  const move: Move = hasTools ? brain(history) : { kind: 'end', text: 'ok' };
  const message = messageOf(request.model, move, history.length);
  if (request.stream === true) return stream(message, move, response);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(message));
}

function historyOf({ messages }: MessagesRequest): readonly Answered[] {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const call = blocks.find(({ type, id }) => type === 'tool_use' && id === block.tool_use_id);
    const { content = '' } = block;
    const result = typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
    return [{ tool: (call?.name ?? '').replace(PREFIX, ''), args: call?.input ?? {}, result }];
  });
}

function messageOf(model: string, move: Move, n: number) {
  const block =
    move.kind === 'end'
      ? { type: 'text', text: move.text }
      : { type: 'tool_use', id: `toolu_${n}`, name: `${PREFIX}${move.call.tool}`, input: move.call.args };
  return {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [block],
    stop_reason: move.kind === 'end' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function stream(message: ReturnType<typeof messageOf>, move: Move, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, data: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const [block] = message.content;
  const isText = move.kind === 'end';
  const delta = isText
    ? { type: 'text_delta', text: move.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(move.call.args) };
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  send('content_block_start', {
    index: 0,
    content_block: isText ? { type: 'text', text: '' } : { ...block, input: {} },
  });
  send('content_block_delta', { index: 0, delta });
  send('content_block_stop', { index: 0 });
  send('message_delta', {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: { output_tokens: 1 },
  });
  send('message_stop', {});
  response.end();
}
