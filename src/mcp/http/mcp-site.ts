/** MCP at `/mcp` of the hub's port. Who asks is judged anew for every request, by its token; no session id means anything. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toWireError, type WireCode } from '../../core/lib/errors.ts';
import { badValue } from '../../core/lib/json.ts';
import type { HubListener } from '../../hub/telemetry/events.ts';
import { type Asked, type Asker, limitsFor } from '../../server/http/api.ts';
import { readText } from '../../server/http/body.ts';
import { respondError, respondJson } from '../../node/http/respond.ts';
import { targetOf } from '../../node/http/target.ts';
import { Bells } from '../../node/mcp/bells.ts';
import { HttpParticipant } from '../../node/mcp/http-participant.ts';
import { parseWait, USUAL_WAIT, WAIT_EXPECTED } from '../../node/mcp/max-wait.ts';
import { callsIn, OpenCalls } from '../../node/mcp/open-calls.ts';
import type { Participant } from '../../node/mcp/participant.ts';
import { mcpServer } from '../server/server.ts';
import { sendWeb, webRequest } from '../../node/mcp/web-request.ts';
import { whoAsks } from './authenticate-request.ts';

export interface McpHub extends Asked {
  follow(listener: HubListener<'envelopePosted'>): () => void;
  markRead(agentId: string, sessionId: string, seq: number): void;
  looksIn(agentId: string): void;
  refused(code: WireCode): void;
}

/** How long those who are let go have for it. */
const FAREWELL_MS = 500;

type Handler = import('@modelcontextprotocol/server').McpHttpHandler;

export class McpSite {
  private readonly hub: McpHub;
  private readonly bells: Bells;
  private readonly calls = new OpenCalls();
  /** What is being answered, and a way to have that done with. */
  private readonly answering = new Map<Promise<void>, AbortController>();
  private handler: Promise<Handler> | null = null;

  constructor(hub: McpHub) {
    this.hub = hub;
    this.bells = new Bells((listener) => hub.follow(listener));
  }

  async answer(asker: Asker, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = new AbortController();
    const answering = this.answerOne(asker, request, response, over);
    this.answering.set(answering, over);
    await answering.finally(() => this.answering.delete(answering));
  }

  /** Whoever waits is answered at once; what goes on and on is ended after that. */
  async close(): Promise<void> {
    for (const over of this.answering.values()) over.abort();
    await Promise.race([Promise.allSettled(this.answering.keys()), sleep(FAREWELL_MS, undefined, { ref: false })]);
    await (await this.handler?.catch(() => null))?.close();
  }

  private async answerOne(
    asker: Asker,
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
      const { agentId, proof } = await whoAsks(hub, asker, request);
      // Of what is closed already nothing more would be heard: it would be waited for without end.
      if (response.destroyed) return;
      if (request.method !== 'POST') return notPosted(response);
      taken.push(this.calls.take(agentId, 1));
      const participant = new HttpParticipant({ hub, bells, agentId, proof });
      const body = await readText(request, response, limitsFor(hub, 'known'));
      taken.push(this.calls.take(agentId, callsIn(body) - 1));
      // Loaded when somebody asks.
      this.handler ??= this.load();
      const { fetch } = await this.handler;
      if (response.destroyed) return;
      const authInfo = authOf({ participant, maxWaitMs, signal: over.signal });
      await sendWeb(await fetch(webRequest(request, body, gone.signal), { authInfo }), response);
    } catch (thrown) {
      if (gone.signal.aborted || response.headersSent) return void response.destroy();
      // What was not read of a body would be taken for the next request.
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

/** What is known of a request beside what is in it. */
interface Known {
  readonly participant: Participant;
  readonly maxWaitMs: number;
  /** Nobody waits for the answer, or nobody should any longer. */
  readonly signal: AbortSignal;
}

/** What the SDK passes through to the server it makes for the request. The token itself stays here. */
function authOf(known: Known) {
  return { token: '', clientId: '', scopes: [], extra: { known } };
}

function knownIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Known {
  // Put there by authOf for this very request.
  return authInfo?.extra?.known as Known;
}

function waitIn(request: IncomingMessage): number {
  const text = new URLSearchParams(targetOf(request).query).get('max_wait') ?? USUAL_WAIT;
  const ms = parseWait(text);
  if (ms === null) throw badValue('query.max_wait', WAIT_EXPECTED, text);
  return ms;
}

/** GET and DELETE would be of a session, and there is none. */
function notPosted(response: ServerResponse): void {
  response.setHeader('allow', 'POST');
  const error = { code: -32000, message: 'Method not allowed: /mcp takes POST' };
  respondJson(response, 405, { jsonrpc: '2.0', error, id: null });
}
