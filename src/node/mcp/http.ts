/** MCP at `/mcp` of the hub's port. Who asks is judged anew for every request, by its token; no session id means anything. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { toWireError, WireError } from '../../core/errors.ts';
import { badValue } from '../../core/json.ts';
import type { HubListener } from '../../hub/events.ts';
import type { SingleRequest } from '../../hub/single-request.ts';
import type { Asked, Asker } from '../http/api.ts';
import { bearerOf } from '../http/bearer.ts';
import { readText } from '../http/body.ts';
import { respondError } from '../http/respond.ts';
import { Bells } from './bells.ts';
import { HttpParticipant } from './http-participant.ts';
import { parseWait, USUAL_WAIT, WAIT_EXPECTED } from './max-wait.ts';
import type { Participant } from './participant.ts';
import { mcpServer } from './server.ts';
import { sendWeb, webRequest } from './web-request.ts';

export interface McpHub extends Asked {
  follow(listener: HubListener<'envelopePosted'>): () => void;
  markRead(agentId: string, sessionId: string, seq: number): void;
}

/** Requests that one agent may have open: as many as on a connection. */
const MOST_OPEN = 64;
/** How long those who are let go have for it. */
const FAREWELL_MS = 500;

type Handler = import('@modelcontextprotocol/server').McpHttpHandler;

export class McpSite {
  private readonly hub: McpHub;
  private readonly bells: Bells;
  private readonly stopping = new AbortController();
  /** By agent: how many are under way. */
  private readonly open = new Map<string, number>();
  private readonly answering = new Set<Promise<void>>();
  private handler: Promise<Handler> | null = null;

  constructor(hub: McpHub) {
    this.hub = hub;
    this.bells = new Bells((listener) => hub.follow(listener));
  }

  async answer(asker: Asker, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answering = this.answerOne(asker, request, response);
    this.answering.add(answering);
    await answering.finally(() => this.answering.delete(answering));
  }

  /** Whoever waits is answered at once; what goes on and on is ended after that. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.race([Promise.allSettled(this.answering), sleep(FAREWELL_MS, undefined, { ref: false })]);
    await (await this.handler?.catch(() => null))?.close();
  }

  private async answerOne(asker: Asker, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const maxWaitMs = waitIn(request);
      const { participant, agentId } = await this.participantOf(asker, request);
      this.count(agentId, response);
      const body = request.method === 'POST' ? await readText(request, this.hub.maxFrameBytes) : null;
      const signal = AbortSignal.any([gone.signal, this.stopping.signal]);
      // Loaded when somebody asks.
      this.handler ??= this.load();
      const { fetch } = await this.handler;
      await sendWeb(
        await fetch(webRequest(request, body, gone.signal), { authInfo: authOf({ participant, maxWaitMs, signal }) }),
        response,
      );
    } catch (thrown) {
      if (gone.signal.aborted || response.headersSent) return void response.destroy();
      // What was not read of a body would be taken for the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      const error = toWireError(thrown, 'the request');
      this.hub.refused(error.code);
      respondError(response, error);
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

  /** Those that wait cost a socket each, so that one agent has only so many. */
  private count(agentId: string, response: ServerResponse): void {
    const open = this.open.get(agentId) ?? 0;
    if (open >= MOST_OPEN) {
      const message = `/mcp: at most ${MOST_OPEN} requests may be open for one agent`;
      throw new WireError('rate_limited', message, { retry_after_ms: 1_000 });
    }
    this.open.set(agentId, open + 1);
    response.once('close', () => {
      const left = (this.open.get(agentId) ?? 1) - 1;
      if (left === 0) this.open.delete(agentId);
      else this.open.set(agentId, left);
    });
  }

  private async participantOf(asker: Asker, request: IncomingMessage): Promise<Asking> {
    const refusal = asker.refusal();
    if (refusal !== null) throw new WireError('rate_limited', refusal, { retry_after_ms: 60_000 });
    const { hub, bells } = this;
    const proof = await this.proofOf(asker, request);
    const agentId = await this.agentIdOf(proof);
    return { agentId, participant: new HttpParticipant({ hub, bells, agentId, proof }) };
  }

  /** For a credential that speaks for several, the request says for whom. */
  private async proofOf(asker: Asker, { headers, url = '' }: IncomingMessage): Promise<Proof> {
    const auth = bearerOf(headers.authorization);
    const credential = await asker.authenticate(auth ?? { scheme: 'none' });
    const unproven = (): void => asker.unproven();
    if (credential === null) {
      if (auth !== null) unproven();
      throw new WireError('unauthenticated', '/mcp: expected Authorization: Bearer <token> with a token of this hub');
    }
    const said = headers['parley-as']?.toString() ?? queryOf(url).get('as');
    const as = said ?? credential.name;
    if (as === null) {
      const expected = 'a name, in the header Parley-As or as ?as=';
      const message =
        '/mcp: this token is for no name in particular; say who you are with the header Parley-As: <name>';
      throw new WireError('bad_frame', message, { field: 'as', expected });
    }
    return { as, auth, authenticate: asker.authenticate, unproven };
  }

  /** A name that nobody has yet is registered, if the credential allows it. */
  private async agentIdOf(proof: Proof): Promise<string> {
    try {
      return idIn(await this.hub.ask({ ...proof, op: 'get_resume', params: {} }));
    } catch (thrown) {
      if (!(thrown instanceof WireError) || thrown.code !== 'unauthenticated') throw thrown;
      const register = { op: 'register', params: { name: proof.as, kind: 'agent' } } as const;
      // As somebody who is not registered yet: as nobody.
      await this.hub.ask({ ...proof, as: null, ...register }).catch((refused: unknown) => {
        throw refused instanceof WireError && refused.code === 'conflict' ? thrown : refused;
      });
      return idIn(await this.hub.ask({ ...proof, op: 'get_resume', params: {} }));
    }
  }
}

interface Asking {
  readonly agentId: string;
  readonly participant: Participant;
}

type Proof = Omit<SingleRequest, 'op' | 'params' | 'as'> & { readonly as: string };

function idIn(resume: unknown): string {
  // The result of get_resume.
  return (resume as { readonly agent_id: string }).agent_id;
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

function waitIn({ url = '' }: IncomingMessage): number {
  const text = queryOf(url).get('max_wait') ?? USUAL_WAIT;
  const ms = parseWait(text);
  if (ms === null) throw badValue('query.max_wait', WAIT_EXPECTED, text);
  return ms;
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1] ?? '');
}
