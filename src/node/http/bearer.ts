/** The credential of a request, as a hello would offer it. Never a cookie: a browser would send that unasked. */

import { WireError } from '../../core/lib/errors.ts';
import type { JsonObject } from '../../core/lib/json.ts';

const TOKEN = /^parley_/;

/** null = it has none. */
export function bearerOf(authorization: string | undefined): JsonObject | null {
  if (authorization === undefined) return null;
  const [, token] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  // What came is not shown: it may be a secret.
  if (token === undefined) throw new WireError('unauthenticated', 'Authorization: expected "Bearer <token>"');
  return { scheme: TOKEN.test(token) ? 'token' : 'jwt', token };
}
