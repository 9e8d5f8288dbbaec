/** Parses the head of a request: path and query, and the credential. */

import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';

const TOKEN = /^parley_/;

/** Returns the credential as a hello would carry it, or null. Ignores cookies: browsers send them unasked. */
export function parseBearer(authorization: string | undefined): JsonObject | null {
  if (authorization === undefined) return null;
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  // Do not show the value: it may be a secret.
  if (token === undefined) throw new WireError('unauthenticated', 'Authorization: expected "Bearer <token>"');
  return { scheme: TOKEN.test(token) ? 'token' : 'jwt', token };
}

export interface Target {
  readonly path: string;
  readonly query: string;
}

/** Accepts absolute URLs, as sent to a proxy. */
export function parseTarget({ url = '/' }: { readonly url?: string | undefined }): Target {
  const local = url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = local.indexOf('?');
  return end === -1 ? { path: local, query: '' } : { path: local.slice(0, end), query: local.slice(end + 1) };
}
