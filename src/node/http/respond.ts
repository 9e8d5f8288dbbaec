/** Answers over HTTP: JSON or text, never cached, and refusals as `{error: {code, message, details}}`. */

import type { ServerResponse } from 'node:http';
import type { WireError } from '../../core/lib/errors.ts';
import { errorRecord } from '../../core/protocol/frames/frame-codec.ts';
import { retrySeconds, statusOf } from './status.ts';

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

/** As `http-fixture-v1` has it: only a sentence. */
export function respondMessage(response: ServerResponse, error: WireError): void {
  refuse(response, error, { message: error.message });
}

function refuse(response: ServerResponse, error: WireError, body: object): void {
  const retry = retrySeconds(error);
  if (retry !== null) response.setHeader('retry-after', retry);
  if (error.code === 'unauthenticated') response.setHeader('www-authenticate', 'Bearer');
  respondJson(response, statusOf(error), body);
}
