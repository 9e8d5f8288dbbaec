/** Serves MCP at `/mcp` of the hub's port. Authenticates every request by its token and ignores MCP session ids. */

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toWireError, type WireCode, WireError } from '../../core/lib/errors.ts';
import { invalidValueError } from '../../core/lib/json.ts';
import type { HubListener } from '../../hub/telemetry/events.ts';
import { type ApiHub, limitsFor, type RequestAuth } from '../../server/http/api.ts';
import { readText } from '../../server/http/body.ts';
import { parseTarget } from '../../server/http/request-head.ts';
import { respondError, respondJson } from '../../server/http/respond.ts';
import { mcpServer } from '../server/server.ts';
import type { Participant } from '../session/participant.ts';
import { DEFAULT_WAIT, parseWait, WAIT_EXPECTED } from '../tools/wait-for.ts';
import { authenticateRequest } from './authenticate-request.ts';
import { HttpParticipant, WakeSignals } from './http-participant.ts';

export interface McpHub extends ApiHub {
  follow(listener: HubListener<'envelopePosted'>): () => void;
  markRead(agentId: string, sessionId: string, seq: number): void;
  looksIn(agentId: string): void;
  refused(code: WireCode): void;
}

/** Time for aborted calls to finish. */
const FAREWELL_MS = 500;

type Handler = import('@modelcontextprotocol/server').McpHttpHandler;

export class McpSite {
  private readonly hub: McpHub;
  private readonly bells: WakeSignals;
  private readonly calls = new OpenCalls();
  private readonly answering = new Map<Promise<void>, AbortController>();
  private handler: Promise<Handler> | null = null;

  constructor(hub: McpHub) {
    this.hub = hub;
    this.bells = new WakeSignals((listener) => hub.follow(listener));
  }

  async answer(asker: RequestAuth, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = new AbortController();
    const answering = this.answerOne(asker, request, response, over);
    this.answering.set(answering, over);
    await answering.finally(() => this.answering.delete(answering));
  }

  /** Aborts waiting calls so that they answer immediately, then closes the handler. */
  async close(): Promise<void> {
    for (const over of this.answering.values()) over.abort();
    await Promise.race([Promise.allSettled(this.answering.keys()), sleep(FAREWELL_MS, undefined, { ref: false })]);
    await (await this.handler?.catch(() => null))?.close();
  }

  private async answerOne(
    asker: RequestAuth,
    request: IncomingMessage,
    response: ServerResponse,
    over: AbortController,
  ): Promise<void> {
    const gone = new AbortController();
    const taken: (() => void)[] = [];
    const release = (): void => {
      for (const end of taken) end();
    };
    response.once('close', () => {
      gone.abort();
      over.abort();
      release();
    });
    try {
      const maxWaitMs = waitIn(request);
      const { hub, bells } = this;
      const { agentId, proof } = await authenticateRequest(hub, asker, request);
      // A closed response emits no further `close`, so waiting on it would never end.
      if (response.destroyed) return;
      if (request.method !== 'POST') return notPosted(response);
      taken.push(this.calls.take(agentId, 1));
      const participant = new HttpParticipant({ hub, bells, agentId, proof });
      const body = await readText(request, response, limitsFor(hub, 'known'));
      taken.push(this.calls.take(agentId, countCalls(body) - 1));
      this.handler ??= this.load();
      const { fetch } = await this.handler;
      if (response.destroyed) return;
      const authInfo = authOf({ participant, maxWaitMs, signal: over.signal });
      await sendWeb(await fetch(webRequest(request, body, gone.signal), { authInfo }), response);
    } catch (thrown) {
      if (gone.signal.aborted || response.headersSent) return void response.destroy();
      // Unread body bytes would be parsed as the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      const error = toWireError(thrown, 'the request');
      this.hub.refused(error.code);
      respondError(response, error);
    } finally {
      release();
    }
  }

  private async load(): Promise<Handler> {
    const sdk = await import('@modelcontextprotocol/server');
    return sdk.createMcpHandler(
      ({ authInfo }) => {
        const { participant, ...settings } = knownIn(authInfo);
        return mcpServer(sdk, participant, settings);
      },
      { maxRequestBodySize: this.hub.maxFrameBytes },
    );
  }
}

interface Known {
  readonly participant: Participant;
  readonly maxWaitMs: number;
  /** Aborts when the caller is gone or the site closes. */
  readonly signal: AbortSignal;
}

/** Passes `known` through the SDK to the server of the request, without the token. */
function authOf(known: Known) {
  return { token: '', clientId: '', scopes: [], extra: { known } };
}

function knownIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Known {
  // authOf stored it for this request.
  return authInfo?.extra?.known as Known;
}

function waitIn(request: IncomingMessage): number {
  const text = new URLSearchParams(parseTarget(request).query).get('max_wait') ?? DEFAULT_WAIT;
  const ms = parseWait(text);
  if (ms === null) throw invalidValueError('query.max_wait', WAIT_EXPECTED, text);
  return ms;
}

/** GET and DELETE address MCP sessions, which do not exist here. */
function notPosted(response: ServerResponse): void {
  response.setHeader('allow', 'POST');
  const error = { code: -32000, message: 'Method not allowed: /mcp takes POST' };
  respondJson(response, 405, { jsonrpc: '2.0', error, id: null });
}

/** Converts a node:http request for the SDK. The body was already read; `signal` aborts when the caller is gone. */
function webRequest(request: IncomingMessage, body: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // The request is already authenticated: do not pass the token on.
    if (value === undefined || name === 'authorization' || name.startsWith(':')) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const url = new URL(request.url ?? '/', 'http://hub.invalid');
  return new Request(url, { method: request.method ?? 'GET', headers, body, signal });
}

async function sendWeb(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) return void (await answer.body?.cancel());
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  response.writeHead(answer.status);
  response.flushHeaders();
  if (answer.body !== null) {
    for await (const chunk of answer.body) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  }
  response.end();
}

/** Equal to the limit per connection. */
const MAX_OPEN = 64;

/** Bounds the open calls per agent: a waiting call costs a socket or regular polling. */
class OpenCalls {
  private readonly open = new Map<string, number>();

  /** Returns an idempotent release; throws above the limit. */
  take(agentId: string, calls: number): () => void {
    const open = this.open.get(agentId) ?? 0;
    if (open + calls > MAX_OPEN) {
      const message = `/mcp: at most ${MAX_OPEN} open calls per agent, including those of a batch`;
      throw new WireError('rate_limited', message, { retry_after_ms: 1_000 });
    }
    this.open.set(agentId, open + calls);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.open.get(agentId) ?? calls) - calls;
      if (left === 0) this.open.delete(agentId);
      else this.open.set(agentId, left);
    };
  }
}

/** Counts the calls of a batch, which older protocol revisions allow. Invalid JSON counts as one call and is rejected later. */
function countCalls(body: string): number {
  if (!/^\s*\[/.test(body)) return 1;
  try {
    const batch: unknown = JSON.parse(body);
    return Array.isArray(batch) ? Math.max(1, batch.length) : 1;
  } catch {
    return 1;
  }
}
