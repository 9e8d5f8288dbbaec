/** Routes every plain HTTP request of the port: the API and its contracts, MCP, the console, conformance, health and metrics. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asError, toWireError, type WireCode, WireError } from '../core/lib/errors.ts';
import { invalidValueError, type JsonObject } from '../core/lib/json.ts';
import type { Logger } from '../core/ports/platform.ts';
import type { Health } from '../core/protocol/operations/console-hub.ts';
import type { Credential } from '../core/records/access/credentials.ts';
import { contractTextAt } from './contracts/published.ts';
import { type ApiHub, answerApi, type RequestAuth } from './http/api.ts';
import { willEndSoon } from './http/body.ts';
import { parseBearer, parseTarget } from './http/request-head.ts';
import { respondError, respondJson, respondMessage, respondText } from './http/respond.ts';
import { API } from './http/routes.ts';
import type { PageSite } from './page/page-site.ts';

export interface SiteHub extends ApiHub {
  health(): Health;
  /** As Prometheus reads it. */
  metrics(): Promise<string>;
  /** Every refusal is counted, whoever it comes from. */
  refused(code: WireCode): void;
  readonly log: Logger;
  /** The console; null = it is not served. */
  readonly pages: PageSite | null;
  /** MCP for who asks. */
  answerMcp(asker: RequestAuth, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Fixtures of governed runs; null = none are done here, and nothing is there. */
  readonly answerConformance: AnswerConformance | null;
}

/** `place` is what follows `/conform/`. */
export type AnswerConformance = (
  visitor: Visitor,
  place: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/** Who asks, and from where. */
export interface Visitor extends RequestAuth {
  /** It comes from this machine, and not through a proxy. */
  readonly isLocal: boolean;
  /** The port speaks TLS. */
  readonly isTls: boolean;
  /** Who comes this way needs no proof of who they are. */
  readonly needsNoProof: boolean;
  /** Host or Origin are not allowed; null = they are. */
  readonly forbidden: string | null;
}

export const MCP = '/mcp';
export const CONFORM = '/conform/';

const PLACES = `GET /healthz, /readyz, /metrics, /openapi.json, /asyncapi.json, /schemas, ${API} and ${MCP}`;

/** Whatever goes wrong is answered too. */
export async function answerHttp(
  hub: SiteHub,
  visitor: Visitor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const at = performance.now();
  const { path } = parseTarget(request);
  const { method } = request;
  response.on('finish', () => {
    // The query is not told: it is the user's.
    hub.log.debug?.('http', { method, path, status: response.statusCode, ms: Math.round(performance.now() - at) });
  });
  try {
    await answered(hub, visitor, path, request, response);
  } catch (thrown) {
    // It hung up before it had said all: nobody is left to be told, and nothing was asked.
    if (request.destroyed && !request.complete) return;
    const error = toWireError(thrown, 'the request');
    if (error !== thrown) hub.log.error('a request failed', { method, path, error: asError(thrown).message });
    hub.refused(error.code);
    if (response.headersSent) return;
    // Otherwise what is still to come would be waited for before the next request.
    if (!willEndSoon(request, hub.maxFrameBytes)) response.setHeader('connection', 'close');
    const respond = isOfConformance(hub, path) ? respondMessage : respondError;
    respond(response, error);
  }
}

async function answered(
  hub: SiteHub,
  visitor: Visitor,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (visitor.forbidden !== null) throw new WireError('forbidden', visitor.forbidden);
  checkExpected(request);
  // Before pages of others are let in: what runs commands is for no page.
  if (isOfConformance(hub, path)) return hub.answerConformance(visitor, path.slice(CONFORM.length), request, response);
  if (allowOrigin(request, response)) return;
  if (path.startsWith(`${API}/`)) return answerApi(hub, visitor, request, response);
  if (path === MCP) return hub.answerMcp(visitor, request, response);
  if (request.method === 'GET' || request.method === 'HEAD') {
    // Its host was looked at before.
    const contract = contractTextAt(path, { host: request.headers.host ?? '', isTls: visitor.isTls });
    if (contract !== null) return respondText(response, 200, 'application/json', contract);
    if (path === '/healthz') return respondJson(response, 200, { alive: true });
    if (path === '/readyz') return answerReady(hub, response);
    if (path === '/metrics') return answerMetrics(hub, visitor, request, response);
    // The console asks for a token where one is needed, without trying to do without.
    if (hub.pages !== null) response.setHeader('parley-auth', visitor.needsNoProof ? 'none' : 'needed');
    if ((await hub.pages?.answer(path, request, response)) === true) return;
  }
  const message = `there is nothing at ${request.method} ${path}; this port speaks WebSocket, and answers ${PLACES}`;
  throw new WireError('not_found', message);
}

function isOfConformance(
  hub: SiteHub,
  path: string,
): hub is SiteHub & { readonly answerConformance: AnswerConformance } {
  return hub.answerConformance !== null && path.startsWith(CONFORM);
}

/** There is one thing to expect: to be asked for the body. */
function checkExpected({ headers: { expect } }: IncomingMessage): void {
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw invalidValueError('expect', '100-continue', expect);
}

function answerReady(hub: SiteHub, response: ServerResponse): void {
  const { ready, reason } = hub.health();
  respondJson(response, ready ? 200 : 503, { ready, reason });
}

async function answerMetrics(
  hub: SiteHub,
  visitor: Visitor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!visitor.isLocal) await checkMayLook(visitor, request);
  respondText(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await hub.metrics());
}

/** They name no one and nothing that was said; still, who is not on this machine has to show that it may look. */
async function checkMayLook(visitor: Visitor, { headers }: IncomingMessage): Promise<void> {
  const busy = visitor.refusal();
  if (busy !== null) throw new WireError('rate_limited', busy, { retry_after_ms: 60_000 });
  const auth = parseBearer(headers.authorization);
  const credential = auth === null ? null : await judged(visitor, auth);
  if (credential === null) {
    if (auth !== null) visitor.unproven();
    throw new WireError('unauthenticated', '/metrics: expected Authorization: Bearer <token>');
  }
  const may = credential.grants.includes('observe') || credential.grants.includes('operate');
  if (!may) throw new WireError('forbidden', '/metrics takes a credential with the grant "observe" or "operate"');
}

/** Whoever judges may be the user's code: what it throws is told to nobody. */
async function judged({ authenticate }: Visitor, auth: JsonObject): Promise<Credential | null> {
  try {
    return await authenticate(auth);
  } catch (thrown) {
    if (thrown instanceof WireError) throw thrown;
    throw new WireError('unauthenticated', 'the credential proves nothing here');
  }
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'authorization, content-type, parley-as, traceparent, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};

/**
 * Tells the browser that a page of another origin may use the hub; the origin was checked before. True = it was only a preflight.
 * Cookies never authenticate, so none are allowed.
 */
function allowOrigin({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-origin', origin);
  if (method !== 'OPTIONS') return false;
  response.writeHead(204, PREFLIGHT).end();
  return true;
}
