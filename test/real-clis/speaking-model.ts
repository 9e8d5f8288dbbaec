/** A model server on this machine that only talks, in the formats of all four tools, and counts what it is asked. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AGENTS, type AgentName } from './recipes.ts';
import { SPEECHES } from './speech.ts';

export interface Question {
  readonly tool: AgentName;
  /** What the user said last. */
  readonly prompt: string;
  /** What the model itself has said in this conversation. */
  readonly before: readonly string[];
}

export interface Answer {
  readonly text: string;
  /** It begins to speak and does not go on. */
  readonly hold?: boolean;
  /** It takes no key at all, and says the text as the reason. */
  readonly refuse?: boolean;
}
export type Speaker = (question: Question) => Answer;

const PATHS: Readonly<Record<AgentName, RegExp>> = {
  claude: /^\/v1\/messages$/,
  codex: /^\/v1\/responses$/,
  gemini: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/,
  opencode: /^\/v1\/chat\/completions$/,
};

export class SpeakingModel {
  readonly url: string;
  /** In the order they came. */
  readonly questions: readonly Question[];
  /** By method and path, whatever was asked. */
  readonly counts: ReadonlyMap<string, number>;
  readonly #server: Server;

  private constructor(server: Server, questions: readonly Question[], counts: ReadonlyMap<string, number>) {
    this.#server = server;
    this.questions = questions;
    this.counts = counts;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(speaker: Speaker): Promise<SpeakingModel> {
    const questions: Question[] = [];
    const counts = new Map<string, number>();
    const server = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const key = `${request.method} ${path}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const tool = request.method === 'POST' ? AGENTS.find((name) => PATHS[name].test(path)) : undefined;
      if (tool === undefined) return void response.writeHead(404).end('{}');
      void speak(tool, speaker, questions, request, response).catch((thrown: unknown) => {
        response.writeHead(500).end(JSON.stringify({ error: { message: String(thrown) } }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SpeakingModel(server, questions, counts);
  }

  /** What one tool was asked for. */
  of(tool: AgentName): readonly Question[] {
    return this.questions.filter((one) => one.tool === tool);
  }

  /** Resolves when that many questions of the tool have come; the test's time limit is the limit. */
  async asked(tool: AgentName, count: number): Promise<void> {
    while (this.of(tool).length < count) await new Promise((resume) => setTimeout(resume, 10));
  }

  summary(): string {
    return [...this.counts].map(([what, count]) => `${count} × ${what}`).join('\n');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function speak(
  tool: AgentName,
  speaker: Speaker,
  questions: Question[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const question = questionOf(tool, JSON.parse(await textOf(request)));
  questions.push(question);
  const { text, hold = false, refuse = false } = speaker(question);
  if (refuse) return refuseKey(text, response);
  const { begun, rest } = SPEECHES[tool](text);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(begun);
  if (!hold) response.end(rest);
}

/** The services differ only in which of these they read. */
function refuseKey(message: string, response: ServerResponse): void {
  const error = { type: 'authentication_error', code: 401, status: 'UNAUTHENTICATED', message };
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error }));
}

interface Said {
  readonly role?: string;
  readonly content?: string | readonly Part[];
  readonly parts?: readonly Part[];
}
type Part = { readonly text?: string };

/** The four formats agree that far: a list of what was said, each with a role and text or parts with text. */
function questionOf(
  tool: AgentName,
  body: { readonly messages?: readonly Said[]; readonly input?: readonly Said[]; readonly contents?: readonly Said[] },
): Question {
  const all = body.messages ?? body.input ?? body.contents ?? [];
  const own = all.filter(({ role }) => role === 'assistant' || role === 'model');
  const user = all.filter(({ role }) => role === 'user').at(-1);
  return { tool, prompt: user === undefined ? '' : wordsOf(user), before: own.map(wordsOf) };
}

function wordsOf({ content, parts }: Said): string {
  const all = content ?? parts ?? '';
  return typeof all === 'string' ? all : all.map(({ text = '' }) => text).join('');
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  return text;
}
