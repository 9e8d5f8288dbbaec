/** The HTTP API: a request is one operation, asked for by whom its credential speaks for, and answered as over a WebSocket. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate } from '../../core/credentials.ts';
import { toWireError, type WireCode, WireError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { TRACEPARENT } from '../../core/record-schemas.ts';
import type { SingleRequest } from '../../hub/single-request.ts';
import { bearerOf } from './bearer.ts';
import { readParams } from './body.ts';
import { queryParams } from './query.ts';
import { respondError, respondJson } from './respond.ts';
import { API, type Matched, matchedRoute } from './routes.ts';

/** What is known of whoever asks. */
export interface Asker {
  readonly authenticate: Authenticate;
  /** Why nothing is taken from its address now; null = it is. */
  refusal(): string | null;
  unproven(): void;
}

export interface Asked {
  ask(request: SingleRequest): Promise<unknown>;
  /** Every refusal is counted, whoever it comes from. */
  refused(code: WireCode): void;
  readonly maxFrameBytes: number;
}

export async function answerApi(
  hub: Asked,
  asker: Asker,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const result = await asked(hub, asker, request);
    respondJson(response, 200, result);
  } catch (thrown) {
    // What was not read of a body would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    const error = toWireError(thrown, 'the request');
    hub.refused(error.code);
    respondError(response, error);
  }
}

async function asked(hub: Asked, asker: Asker, request: IncomingMessage): Promise<unknown> {
  const refusal = asker.refusal();
  if (refusal !== null) throw new WireError('rate_limited', refusal, { retry_after_ms: 60_000 });
  const { url = '' } = request;
  const end = url.indexOf('?');
  const [path, query] = end === -1 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
  const searchParams = new URLSearchParams(query);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  const matched = matchedRoute(method, path.slice(API.length));
  if (matched === null) throw nothingAt(method, path);
  const params =
    method === 'GET' ? queryParams(matched.op, searchParams) : await readParams(request, hub.maxFrameBytes);
  const { headers } = request;
  return hub.ask({
    op: matched.op,
    params: withContext(matched, params, headers.traceparent),
    as: headers['parley-as']?.toString() ?? searchParams.get('as'),
    auth: bearerOf(headers.authorization),
    authenticate: asker.authenticate,
    unproven: () => asker.unproven(),
  });
}

/** What the path says holds; a trace that the request belongs to goes on with what it posts. */
function withContext({ op, params: said }: Matched, given: Record<string, unknown>, traceparent: unknown): JsonObject {
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
