/** A model server on this machine for the two wire formats of the tools: Anthropic's messages and OpenAI's responses. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerMessages } from './anthropic-messages.ts';
import type { Brain } from './brain.ts';
import { answerResponses } from './openai-responses.ts';

export interface Brains {
  readonly claude: Brain;
  readonly codex: Brain;
}

export class StubModel {
  readonly url: string;
  /** What was asked, for whoever looks into a run that failed. */
  readonly asked: string[];
  readonly #server: Server;

  private constructor(server: Server, asked: string[]) {
    this.#server = server;
    this.asked = asked;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(brains: Brains): Promise<StubModel> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      void answer(brains, request, response, asked).catch((thrown: unknown) => {
        asked.push(`failed: ${String(thrown)}`);
        response.writeHead(500).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new StubModel(server, asked);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function answer(brains: Brains, request: IncomingMessage, response: ServerResponse, asked: string[]) {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const body = await textOf(request);
  asked.push(`${request.method} ${path} ${body}`);
  if (request.method === 'POST' && path === '/v1/messages')
    return answerMessages(JSON.parse(body), brains.claude, response);
  if (request.method === 'POST' && path === '/v1/responses')
    return answerResponses(JSON.parse(body), brains.codex, response);
  if (request.method === 'POST' && path === '/v1/messages/count_tokens') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end('{"input_tokens":1}');
  }
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end('{}');
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  return text;
}
