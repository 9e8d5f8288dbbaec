/** A streamed answer in OpenAI's responses format: a function call or a final text. */

import type { ServerResponse } from 'node:http';
import type { Answered, Brain, Move } from './brain.ts';

interface Item {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly arguments?: string;
  readonly output?: unknown;
}

interface OfferedTool {
  readonly type: string;
  readonly name?: string;
  readonly tools?: readonly OfferedTool[];
}

export interface ResponsesRequest {
  readonly model: string;
  readonly input: readonly Item[];
  readonly tools?: readonly OfferedTool[];
}

export function answerResponses(request: ResponsesRequest, brain: Brain, response: ServerResponse): void {
  const history = historyOf(request);
  const item = itemOf(brain(history), history.length, request.tools ?? []);
  const id = `resp_${history.length}`;
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, usage } },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function historyOf({ input }: ResponsesRequest): readonly Answered[] {
  return input.flatMap((item) => {
    if (item.type !== 'function_call_output') return [];
    const call = input.find(({ type, call_id }) => type === 'function_call' && call_id === item.call_id);
    return [{ tool: bare(call?.name ?? ''), args: JSON.parse(call?.arguments ?? '{}'), result: textOf(item.output) }];
  });
}

/** Some versions send a list of parts. */
function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (Array.isArray(output)) return output.map((part: { readonly text?: string }) => part.text ?? '').join('');
  return JSON.stringify(output);
}

function itemOf(move: Move, n: number, tools: readonly OfferedTool[]) {
  if (move.kind === 'end') {
    return { type: 'message', id: `msg_${n}`, role: 'assistant', content: [{ type: 'output_text', text: move.text }] };
  }
  const { tool, args } = move.call;
  return {
    type: 'function_call',
    id: `fc_${n}`,
    call_id: `call_${n}`,
    arguments: JSON.stringify(args),
    ...offered(tools, tool),
  };
}

/** The name under which the tool was offered, alone or within a namespace. */
function offered(
  tools: readonly OfferedTool[],
  wanted: string,
): { readonly name: string; readonly namespace?: string } {
  for (const { name = '', tools: inner } of tools) {
    if (inner === undefined && name.startsWith('mcp__parley') && bare(name) === wanted) return { name };
    const found = inner?.find((one) => bare(one.name ?? '') === wanted);
    if (found?.name !== undefined && name.includes('parley')) return { name: found.name, namespace: name };
  }
  return { name: `mcp__parley__${wanted}` };
}

function bare(name: string): string {
  return name.replace(/^mcp__parley__/, '');
}
