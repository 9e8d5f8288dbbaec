/** A model server on 127.0.0.1 for the examples, with chat completions and Anthropic Messages; a function answers. */

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { respond, type StubAnswer, type StubRequest } from './stub-answers.ts';

export type { StubAnswer, StubCall, StubRequest } from './stub-answers.ts';

export interface StubModel {
  /** For `createLlmAdapter` and `createAnthropicAdapter`. */
  readonly baseUrl: string;
  readonly requests: readonly StubRequest[];
  stop(): Promise<void>;
}

export async function stubModel(
  answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer>,
): Promise<StubModel> {
  const requests: StubRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    requests.push(request);
    respond(response, request, await answer(request), incoming.url?.includes('/messages') ?? false);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, stop };
}

async function read(incoming: IncomingMessage): Promise<StubRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString());
  // In chat completions the system prompt is the first message.
  const all = body.messages.map((one: { role: string; content: unknown }) => ({
    ...one,
    content: textOf(one.content),
  }));
  const system = body.system ?? all.find((one: { role: string }) => one.role === 'system')?.content ?? '';
  const messages = all.filter((one: { role: string }) => one.role !== 'system');
  const tools = (body.tools ?? []).map(
    (tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function?.name,
  );
  return { model: body.model, system, messages, tools, body };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map(({ text, content: inner }) => text ?? textOf(inner)).join('');
}
