/** The head of a request: its path and query, its credential, and the identity it acts as. */

import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';

const TOKEN = /^parley_/;

/** The credential as a hello would offer it; null = there is none. Never a cookie: a browser would send that unasked. */
export function parseBearer(authorization: string | undefined): JsonObject | null {
  if (authorization === undefined) return null;
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  // What came is not shown: it may be a secret.
  if (token === undefined) throw new WireError('unauthenticated', 'Authorization: expected "Bearer <token>"');
  return { scheme: TOKEN.test(token) ? 'token' : 'jwt', token };
}

export interface Target {
  readonly path: string;
  readonly query: string;
}

/** The path and query, also where the whole address is given, as to a proxy. */
export function parseTarget({ url = '/' }: { readonly url?: string | undefined }): Target {
  const local = url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = local.indexOf('?');
  return end === -1 ? { path: local, query: '' } : { path: local.slice(0, end), query: local.slice(end + 1) };
}
