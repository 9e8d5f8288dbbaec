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
  /** In the Prometheus text format. */
  metrics(): Promise<string>;
  /** Counts a rejection. */
  refused(code: WireCode): void;
  readonly log: Logger;
  /** The console; null if it is not served. */
  readonly pages: PageSite | null;
  answerMcp(asker: RequestAuth, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Conformance fixtures; null if they are not served. */
  readonly answerConformance: AnswerConformance | null;
}

/** `path` is the part after `/conform/`. */
export type AnswerConformance = (
  visitor: Visitor,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

/** The sender of a request. */
export interface Visitor extends RequestAuth {
  /** True for requests from this machine that did not pass a proxy. */
  readonly isLocal: boolean;
  readonly isTls: boolean;
  /** True if no credential is required. */
  readonly needsNoProof: boolean;
  /** Why its Host or Origin is rejected; null if both are allowed. */
  readonly forbidden: string | null;
}

const MCP = '/mcp';
const CONFORM = '/conform/';

const PLACES = `GET /healthz, /readyz, /metrics, /openapi.json, /asyncapi.json, /schemas, ${API} and ${MCP}`;

/** Answers every request, including failed ones. */
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
    // The query is user data: never log it.
    hub.log.debug?.('http', { method, path, status: response.statusCode, ms: Math.round(performance.now() - at) });
  });
  try {
    await answered(hub, visitor, path, request, response);
  } catch (thrown) {
    // The client hung up mid-request: there is nobody to answer.
    if (request.destroyed && !request.complete) return;
    const error = toWireError(thrown, 'the request');
    if (error !== thrown) hub.log.error('a request failed', { method, path, error: asError(thrown).message });
    hub.refused(error.code);
    if (response.headersSent) return;
    // Do not wait for the rest of a body that may never arrive.
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
  // Handled before CORS headers are set, because no web page may run commands.
  if (isOfConformance(hub, path)) return hub.answerConformance(visitor, path.slice(CONFORM.length), request, response);
  if (allowOrigin(request, response)) return;
  if (path.startsWith(`${API}/`)) return answerApi(hub, visitor, request, response);
  if (path === MCP) return hub.answerMcp(visitor, request, response);
  if (request.method === 'GET' || request.method === 'HEAD') {
    // The Host header was checked before.
    const contract = contractTextAt(path, { host: request.headers.host ?? '', isTls: visitor.isTls });
    if (contract !== null) return respondText(response, 200, 'application/json', contract);
    if (path === '/healthz') return respondJson(response, 200, { alive: true });
    if (path === '/readyz') return answerReady(hub, response);
    if (path === '/metrics') return answerMetrics(hub, visitor, request, response);
    // This header tells the console whether to ask for a token.
    if (hub.pages !== null) response.setHeader('parley-auth', visitor.needsNoProof ? 'none' : 'needed');
    if ((await hub.pages?.answer(path, request, response)) === true) return;
  }
  const message = `nothing at ${request.method} ${path}; this port serves WebSocket and ${PLACES}`;
  throw new WireError('not_found', message);
}

function isOfConformance(
  hub: SiteHub,
  path: string,
): hub is SiteHub & { readonly answerConformance: AnswerConformance } {
  return hub.answerConformance !== null && path.startsWith(CONFORM);
}

/** Rejects expectations other than 100-continue. */
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
  if (!visitor.isLocal) await checkMayReadMetrics(visitor, request);
  respondText(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await hub.metrics());
}

/** Metrics contain no names or content, but remote callers still need a grant. */
async function checkMayReadMetrics(visitor: Visitor, { headers }: IncomingMessage): Promise<void> {
  const busy = visitor.refusal();
  if (busy !== null) throw new WireError('rate_limited', busy, { retry_after_ms: 60_000 });
  const auth = parseBearer(headers.authorization);
  const credential = auth === null ? null : await authenticated(visitor, auth);
  if (credential === null) {
    if (auth !== null) visitor.unproven();
    throw new WireError('unauthenticated', '/metrics: expected Authorization: Bearer <token>');
  }
  const may = credential.grants.includes('observe') || credential.grants.includes('operate');
  if (!may) throw new WireError('forbidden', '/metrics requires the "observe" or "operate" grant');
}

/** Authentication may run user code: never reveal what it throws. */
async function authenticated({ authenticate }: Visitor, auth: JsonObject): Promise<Credential | null> {
  try {
    return await authenticate(auth);
  } catch (thrown) {
    if (thrown instanceof WireError) throw thrown;
    throw new WireError('unauthenticated', 'this hub does not accept the credential');
  }
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers':
    'authorization, content-type, parley-as, traceparent, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '600',
};

/** Allows the origin, which was checked earlier, without cookies; returns true if the request was only a preflight. */
function allowOrigin({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-origin', origin);
  if (method !== 'OPTIONS') return false;
  response.writeHead(204, PREFLIGHT).end();
  return true;
}
