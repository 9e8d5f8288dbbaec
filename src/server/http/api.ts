/** Serves the HTTP API: one operation per request, authenticated by its own credential, answered as over a WebSocket. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { WireError } from '../../core/lib/errors.ts';
import { invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import type { Authenticate } from '../../core/records/access/credentials.ts';
import { TRACEPARENT } from '../../core/records/fields.ts';
import type { AskerKind, SingleRequest } from '../../hub/connection/single-request.ts';
import { type BodyLimits, readParams } from './body.ts';
import { parseBearer, parseTarget } from './request-head.ts';
import { respondJson } from './respond.ts';
import { API, matchRoute, queryParams, type RouteMatch } from './routes.ts';

/** The sender of a request. */
export interface RequestAuth {
  readonly authenticate: Authenticate;
  /** Why requests from the sender's address are rejected now; null if they are accepted. */
  refusal(): string | null;
  unproven(): void;
}

export interface ApiHub {
  ask(request: SingleRequest): Promise<unknown>;
  readonly maxFrameBytes: number;
  /** Nesting allowed in one parameter. */
  readonly maxJsonDepth: number;
}

/** Body limit without a credential, which is enough for `health`. */
const ANONYMOUS_BYTES = 4096;
/** Nesting levels around the deepest parameter value. */
const PARAMS_DEPTH = 16;

/** Answers one API request. Throws wire errors. */
export async function answerApi(
  hub: ApiHub,
  asker: RequestAuth,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = asker.refusal();
  if (refusal !== null) throw new WireError('rate_limited', refusal, { retry_after_ms: 60_000 });
  const { headers } = request;
  const { path, query } = parseTarget(request);
  const searchParams = new URLSearchParams(query);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  const matched = matchRoute(method, path.slice(API.length));
  if (matched === null) throw nothingAt(method, path);
  const given = async (kind: AskerKind): Promise<Record<string, unknown>> =>
    method === 'GET' ? queryParams(matched.op, searchParams) : readParams(request, response, limitsFor(hub, kind));
  const result = await hub.ask({
    op: matched.op,
    params: async (kind) => withContext(matched, await given(kind), headers.traceparent),
    as: parseActAs(headers['parley-as']?.toString(), searchParams.getAll('as')),
    auth: parseBearer(headers.authorization),
    authenticate: asker.authenticate,
    unproven: () => asker.unproven(),
  });
  respondJson(response, 200, result);
}

/** Header and query must agree, because a proxy may have checked only one of them. Returns null if both are unset. */
export function parseActAs(header: string | undefined, query: readonly string[]): string | null {
  const names = new Set(header === undefined ? query : [header, ...query]);
  if (names.size > 1) throw invalidValueError('as', 'one name or agent id', [...names].join(', '));
  return [...names][0] ?? null;
}

export function limitsFor({ maxFrameBytes, maxJsonDepth }: ApiHub, kind: AskerKind): BodyLimits {
  const maxBytes = kind === 'known' ? maxFrameBytes : Math.min(maxFrameBytes, ANONYMOUS_BYTES);
  return { maxBytes, maxDepth: maxJsonDepth + PARAMS_DEPTH };
}

/** Path parameters win over the body; a post carries the request's trace unless it has its own. */
function withContext(
  { op, params: inPath }: RouteMatch,
  given: Record<string, unknown>,
  traceparent: unknown,
): JsonObject {
  const params = { ...given, ...inPath };
  const traced = op === 'post' && isTrace(traceparent) && given.traceparent === undefined;
  // The operation validates the parameters.
  return (traced ? { ...params, traceparent } : params) as JsonObject;
}

function nothingAt(method: string, path: string): WireError {
  const valid = `POST ${API}/<operation>, or a path listed in GET /openapi.json`;
  return new WireError('not_found', `nothing at ${method} ${path}; expected ${valid}`);
}

/** Per W3C, ignore an invalid header or one of a future version. */
function isTrace(traceparent: unknown): boolean {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) && !/^ff|-0{32}-|-0{16}-/.test(traceparent);
}
