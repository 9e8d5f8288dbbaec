/** The body of a request as parameters: one JSON object, no larger than a frame. */

import type { IncomingMessage } from 'node:http';
import { WireError } from '../../core/errors.ts';
import { badValue, type JsonObject } from '../../core/json.ts';

/** Nothing at all counts as no parameters. */
export async function readParams(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  checkType(request);
  const text = await readText(request, maxBytes);
  const value = text === '' ? {} : parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badValue('body', 'an object', value);
  // JSON.parse gives JSON.
  return value as JsonObject;
}

/** A page of another site can send forms and plain text unasked; JSON it cannot. */
function checkType({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw badValue('content-type', 'application/json', headers['content-type']);
}

export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Not shown: it may hold a secret.
    const details = { field: 'body', expected: 'one JSON object', received: `${text.length} characters` };
    throw new WireError('bad_frame', `body: expected one JSON object, got ${details.received}`, details, { cause });
  }
}

function tooLarge(maxBytes: number): WireError {
  const expected = `at most ${maxBytes} bytes`;
  return new WireError('too_large', `body: ${expected} are allowed`, { field: 'body', expected });
}
