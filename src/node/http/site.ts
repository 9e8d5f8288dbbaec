/** Everything the port answers over plain HTTP: the API, its contracts, and how the hub is doing. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { asError, toWireError, WireError } from '../../core/errors.ts';
import type { Health } from '../../core/operations.ts';
import type { Log } from '../../core/ports.ts';
import { contractAt } from '../contracts/published.ts';
import { type Asked, type Asker, answerApi } from './api.ts';
import { bearerOf } from './bearer.ts';
import { allowPage } from './pages.ts';
import { respondError, respondJson, respondText } from './respond.ts';
import { API } from './routes.ts';

export interface SiteHub extends Asked {
  health(): Health;
  /** As Prometheus reads it. */
  metrics(): Promise<string>;
  readonly log: Log;
  /** MCP for who asks. */
  answerMcp(asker: Asker, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Who asks, and from where. */
export interface Visitor extends Asker {
  /** It comes from this machine, and not through a proxy. */
  readonly isLocal: boolean;
  /** Host or Origin are not allowed; null = they are. */
  readonly forbidden: string | null;
}

export const MCP = '/mcp';

const PLACES = `GET /healthz, /readyz, /metrics, /openapi.json, /asyncapi.json, /schemas, ${API} and ${MCP}`;

export function answer(hub: SiteHub, visitor: Visitor, request: IncomingMessage, response: ServerResponse): void {
  const at = performance.now();
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const { method } = request;
  response.on('finish', () => {
    // The query is not told: it is the user's.
    hub.log.debug?.('http', { method, path, status: response.statusCode, ms: Math.round(performance.now() - at) });
  });
  answered(hub, visitor, path, request, response).catch((thrown: unknown) => {
    hub.log.error('a request failed', { method, path, error: asError(thrown).message });
    if (!response.headersSent) respondError(response, toWireError(thrown, 'the request'));
  });
}

export async function answered(
  hub: SiteHub,
  visitor: Visitor,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (visitor.forbidden !== null) return respondError(response, new WireError('forbidden', visitor.forbidden));
  if (allowPage(request, response)) return;
  if (path.startsWith(`${API}/`)) return answerApi(hub, visitor, request, response);
  if (path === MCP) return hub.answerMcp(visitor, request, response);
  if (request.method === 'GET' || request.method === 'HEAD') {
    const contract = contractAt(path);
    if (contract !== null) return respondJson(response, 200, contract);
    if (path === '/healthz') return respondJson(response, 200, { alive: true });
    if (path === '/readyz') return answerReady(hub, response);
    if (path === '/metrics') return answerMetrics(hub, visitor, request, response);
  }
  const message = `there is nothing at ${request.method} ${path}; this port speaks WebSocket, and answers ${PLACES}`;
  respondError(response, new WireError('not_found', message));
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
  const refusal = await metricsRefusal(visitor, request);
  if (refusal !== null) return respondError(response, refusal);
  respondText(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await hub.metrics());
}

/** They name no one and nothing that was said; still, who is not on this machine has to show that it may look. */
async function metricsRefusal(visitor: Visitor, { headers }: IncomingMessage): Promise<WireError | null> {
  if (visitor.isLocal) return null;
  const busy = visitor.refusal();
  if (busy !== null) return new WireError('rate_limited', busy, { retry_after_ms: 60_000 });
  try {
    const auth = bearerOf(headers.authorization);
    const credential = auth === null ? null : await visitor.authenticate(auth);
    if (credential === null) {
      if (auth !== null) visitor.unproven();
      return new WireError('unauthenticated', '/metrics: expected Authorization: Bearer <token>');
    }
    const may = credential.grants.includes('observe') || credential.grants.includes('operate');
    return may ? null : new WireError('forbidden', '/metrics takes a credential with the grant "observe" or "operate"');
  } catch (thrown) {
    return thrown instanceof WireError
      ? thrown
      : new WireError('unauthenticated', 'the credential proves nothing here');
  }
}
