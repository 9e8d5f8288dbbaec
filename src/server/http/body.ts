/** Reads a request body as parameters: one JSON object in UTF-8, uncompressed, at most as large as a frame. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { WireError } from '../../core/lib/errors.ts';
import { invalidValueError, type JsonObject } from '../../core/lib/json.ts';
import { isNestedWithin } from '../../system/json-nesting.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** Bodies up to this multiple of the limit are read to the end, so that the client can read the rejection. */
const DRAIN_FACTOR = 4;

/** An empty body means no parameters. */
export async function readParams(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<JsonObject> {
  const text = await readText(request, response, limits);
  if (text === '') return {};
  const value = parseJsonBody(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidValueError('body', 'an object', value);
  return value as JsonObject;
}

/** Returns the body's text, with nesting already bounded. */
export async function readText(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<string> {
  checkHeaders(request);
  const bytes = await readBytes(request, response, limits.maxBytes);
  if (!isNestedWithin(bytes, limits.maxDepth)) {
    throw invalidValueError('body', `JSON nested at most ${limits.maxDepth} deep`, 'deeper nesting');
  }
  return decoded(bytes);
}

/** True if the body has arrived or is small enough to wait for. */
export function willEndSoon({ complete, headers }: IncomingMessage, maxBytes: number): boolean {
  if (complete) return true;
  // A client that waits for 100-continue does not send the body before that.
  if (headers.expect !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= maxBytes * DRAIN_FACTOR;
}

/** Requires JSON: a page of another site can send forms and plain text without a preflight, but not JSON. */
function checkHeaders({ headers }: IncomingMessage): void {
  const [type = '', ...more] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = more.find((part) => part.startsWith('charset='))?.slice('charset='.length) ?? 'utf-8';
  if (type !== 'application/json' || !/^"?utf-?8"?$/.test(charset)) {
    throw invalidValueError('content-type', 'application/json', headers['content-type']);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw invalidValueError('content-encoding', 'none, or identity', encoding);
  const transfer = headers['transfer-encoding'] ?? 'chunked';
  if (transfer.toLowerCase() !== 'chunked') throw invalidValueError('transfer-encoding', 'chunked', transfer);
}

async function readBytes(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<Uint8Array> {
  const { headers, httpVersion } = request;
  if (Number(headers['content-length'] ?? 0) > maxBytes * DRAIN_FACTOR) throw tooLarge(maxBytes);
  if (headers.expect !== undefined && httpVersion === '1.1') response.writeContinue();
  const { chunks, bytes } = await chunksOf(request, maxBytes);
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks);
}

/** Not `for await`: leaving the loop early would close the socket before the answer is sent. */
function chunksOf(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly chunks: readonly Buffer[]; readonly bytes: number }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes <= maxBytes * DRAIN_FACTOR) return;
      request.pause();
      resolve({ chunks, bytes });
    });
    request.once('end', () => resolve({ chunks, bytes }));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the request was aborted')));
  });
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidValueError('body', 'text in UTF-8', 'other bytes');
  }
}

/** Rejects invalid JSON without quoting it: it may contain a secret. */
export function parseJsonBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const details = { field: 'body', expected: 'one JSON object', received: `${text.length} characters` };
    throw new WireError('bad_frame', `body: expected one JSON object, got ${details.received}`, details, { cause });
  }
}

function tooLarge(maxBytes: number): WireError {
  const expected = `at most ${maxBytes} bytes`;
  return new WireError('too_large', `body: expected ${expected}`, { field: 'body', expected });
}
