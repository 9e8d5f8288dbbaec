/** A local model server that answers with text in the formats of all four CLIs, and records requests. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, type LocalServer, localServer } from './local-server.ts';
import { AGENTS, type AgentName } from './recipes.ts';
import { SPEECHES } from './speech.ts';

export interface Question {
  readonly tool: AgentName;
  /** The last user message. */
  readonly prompt: string;
  /** Earlier answers of the model in this conversation. */
  readonly before: readonly string[];
}

export interface Answer {
  readonly text: string;
  /** Begin the answer and do not complete it. */
  readonly hold?: boolean;
  /** Reject the key, with the text as reason. */
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
  /** In order of arrival. */
  readonly questions: readonly Question[];
  /** Number of requests by method and path. */
  readonly counts: ReadonlyMap<string, number>;
  readonly #server: LocalServer;

  private constructor(server: LocalServer, questions: readonly Question[], counts: ReadonlyMap<string, number>) {
    this.#server = server;
    this.questions = questions;
    this.counts = counts;
    this.url = `http://127.0.0.1:${server.port}`;
  }

  static async start(speaker: Speaker): Promise<SpeakingModel> {
    const questions: Question[] = [];
    const counts = new Map<string, number>();
    const server = await localServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const key = `${request.method} ${path}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const tool = request.method === 'POST' ? AGENTS.find((name) => PATHS[name].test(path)) : undefined;
      if (tool === undefined) return void response.writeHead(404).end('{}');
      void speak(tool, speaker, questions, request, response).catch((thrown: unknown) => {
        response.writeHead(500).end(JSON.stringify({ error: { message: String(thrown) } }));
      });
    });
    return new SpeakingModel(server, questions, counts);
  }

  /** Questions of one CLI. */
  of(tool: AgentName): readonly Question[] {
    return this.questions.filter((one) => one.tool === tool);
  }

  /** Resolves after that many questions of the CLI; bounded by the test timeout. */
  async asked(tool: AgentName, count: number): Promise<void> {
    while (this.of(tool).length < count) await new Promise((resume) => setTimeout(resume, 10));
  }

  summary(): string {
    return [...this.counts].map(([what, count]) => `${count} × ${what}`).join('\n');
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

async function speak(
  tool: AgentName,
  speaker: Speaker,
  questions: Question[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const question = questionOf(tool, JSON.parse(await bodyOf(request)));
  questions.push(question);
  const { text, hold = false, refuse = false } = speaker(question);
  if (refuse) return refuseKey(text, response);
  const { begun, rest } = SPEECHES[tool](text);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(begun);
  if (!hold) response.end(rest);
}

/** The services differ only in which of these members they read. */
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

/** The four formats agree on a list of messages, each with a role and text or text parts. */
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
