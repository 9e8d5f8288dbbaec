/** A local model server for two wire formats: Anthropic messages and OpenAI responses. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerMessages } from './anthropic-messages.ts';
import type { Brain } from './brain.ts';
import { bodyOf, localServer } from './local-server.ts';
import { answerResponses } from './openai-responses.ts';

export interface Brains {
  readonly claude: Brain;
  readonly codex: Brain;
}

export interface StubModel {
  readonly url: string;
  close(): Promise<void>;
}

export async function startStubModel(brains: Brains): Promise<StubModel> {
  const { port, close } = await localServer((request, response) => {
    void answer(brains, request, response).catch((thrown: unknown) => {
      console.log(`the stub model failed: ${String(thrown)}`);
      response.writeHead(500).end();
    });
  });
  return { url: `http://127.0.0.1:${port}`, close };
}

async function answer(brains: Brains, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const body = await bodyOf(request);
  const isPost = request.method === 'POST';
  if (isPost && path === '/v1/messages') return answerMessages(JSON.parse(body), brains.claude, response);
  if (isPost && path === '/v1/responses') return answerResponses(JSON.parse(body), brains.codex, response);
  const isCount = isPost && path === '/v1/messages/count_tokens';
  response.writeHead(isCount ? 200 : 404, { 'content-type': 'application/json' });
  response.end(isCount ? '{"input_tokens":1}' : '{}');
}
