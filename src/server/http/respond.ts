/** Writes HTTP answers: JSON or text, never cached; errors as `{error: {code, message, details}}` with their status. */

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WireCode, WireError } from '../../core/lib/errors.ts';
import { errorRecord } from '../../core/protocol/frames/frame-codec.ts';

export function respondJson(response: ServerResponse, status: number, body: unknown): void {
  respondText(response, status, 'application/json', `${JSON.stringify(body)}\n`);
}

export function respondText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

export function respondError(response: ServerResponse, error: WireError): void {
  refuse(response, error, { error: errorRecord(error) });
}

/** The error format of `http-fixture-v1`: only a message. */
export function respondMessage(response: ServerResponse, error: WireError): void {
  refuse(response, error, { message: error.message });
}

function refuse(response: ServerResponse, error: WireError, body: object): void {
  const retry = retrySeconds(error);
  if (retry !== null) response.setHeader('retry-after', retry);
  if (error.code === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer');
  respondJson(response, statusOf(error), body);
}

/** Time for a rejected peer to hang up before its socket is destroyed. */
const HANG_UP_MS = 1_000;

/** Rejects on a socket without a response object: an upgrade, or bytes that are not HTTP. */
export function refuseSocket(socket: Duplex, error: WireError): void {
  const status = statusOf(error);
  const body = JSON.stringify({ error: errorRecord(error) });
  const retry = retrySeconds(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(retry === null ? [] : [`Retry-After: ${retry}`]),
    'Connection: close',
  ];
  const cut = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(cut));
  // Read the peer's remaining bytes: closing a socket with unread bytes would discard the answer.
  socket.resume();
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** HTTP status of each wire code, for answers and the OpenAPI document. */
export const STATUS: { readonly [Code in WireCode]: number } = {
  bad_frame: 400,
  unsupported_version: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  protocol_error: 409,
  not_your_turn: 409,
  session_closed: 409,
  duplicate: 409,
  invalid_create: 422,
  too_large: 413,
  rate_limited: 429,
  inbox_full: 429,
  internal: 500,
  unavailable: 503,
  timeout: 504,
};

/** HTTP status by field, for faults of the request itself. */
export const STATUS_OF_FIELD: Readonly<Record<string, number>> = {
  'content-type': 415,
  'content-encoding': 415,
  'transfer-encoding': 415,
  method: 405,
  expect: 417,
  headers: 431,
  arrival: 408,
};

function statusOf({ code, details }: Pick<WireError, 'code' | 'details'>): number {
  const field = details?.field;
  const own = typeof field === 'string' && Object.hasOwn(STATUS_OF_FIELD, field) ? STATUS_OF_FIELD[field] : undefined;
  return own ?? STATUS[code];
}

/** Default retry delay of a code. */
const RETRY_SECONDS: { readonly [Code in WireCode]?: number } = { rate_limited: 1, inbox_full: 5, unavailable: 5 };

/** Retry delay in seconds; null if retrying is useless. */
function retrySeconds({ code, details }: Pick<WireError, 'code' | 'details'>): number | null {
  const retryMs = details?.retry_after_ms;
  if (typeof retryMs === 'number') return Math.max(1, Math.ceil(retryMs / 1000));
  return RETRY_SECONDS[code] ?? null;
}
