/** The HTTP API: a request is one operation, authorized by its own credential and answered as over a WebSocket. */

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

/** What is known of whoever asks. */
export interface RequestAuth {
  readonly authenticate: Authenticate;
  /** Why nothing is taken from its address now; null = it is. */
  refusal(): string | null;
  unproven(): void;
}

export interface ApiHub {
  ask(request: SingleRequest): Promise<unknown>;
  readonly maxFrameBytes: number;
  /** Of what a client may nest in a parameter. */
  readonly maxJsonDepth: number;
}

/** For `health`; nothing else is answered to who shows no credential. */
const STRANGER_BYTES = 4096;
/** Parameters and their members, around the deepest value that may be in one. */
const PARAMS_DEPTH = 16;

/** Refuses with a wire error. */
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

/** Said twice, it has to be the same: a proxy may have looked at the other one. null = it is not said. */
export function parseActAs(header: string | undefined, query: readonly string[]): string | null {
  const said = new Set(header === undefined ? query : [header, ...query]);
  if (said.size > 1) throw invalidValueError('as', 'one name or agent id', [...said].join(', '));
  return [...said][0] ?? null;
}

export function limitsFor({ maxFrameBytes, maxJsonDepth }: ApiHub, kind: AskerKind): BodyLimits {
  const maxBytes = kind === 'known' ? maxFrameBytes : Math.min(maxFrameBytes, STRANGER_BYTES);
  return { maxBytes, maxDepth: maxJsonDepth + PARAMS_DEPTH };
}

/** What the path says holds; a trace that the request belongs to goes on with what it posts. */
function withContext(
  { op, params: said }: RouteMatch,
  given: Record<string, unknown>,
  traceparent: unknown,
): JsonObject {
  const params = { ...given, ...said };
  const traced = op === 'post' && isTrace(traceparent) && given.traceparent === undefined;
  // Whether it is what the operation takes is for the operation to say.
  return (traced ? { ...params, traceparent } : params) as JsonObject;
}

function nothingAt(method: string, path: string): WireError {
  const there = `POST ${API}/<operation>, and the paths that GET /openapi.json lists`;
  return new WireError('not_found', `there is nothing at ${method} ${path}; there is ${there}`);
}

/** A header that is none, or of a version to come, is left alone, as W3C has it: proxies make such. */
function isTrace(traceparent: unknown): boolean {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) && !/^ff|-0{32}-|-0{16}-/.test(traceparent);
}
