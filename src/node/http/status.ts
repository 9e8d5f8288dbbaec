/** Which HTTP status stands for which wire code. The one table: answers and the OpenAPI document are made from it. */

import type { WireCode, WireError } from '../../core/lib/errors.ts';

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

/** What is wrong with the request and not with what it asks has a status of its own, by the field that is wrong. */
export const STATUS_OF_FIELD: Readonly<Record<string, number>> = {
  'content-type': 415,
  'content-encoding': 415,
  'transfer-encoding': 415,
  method: 405,
  expect: 417,
  headers: 431,
  arrival: 408,
};

export function statusOf({ code, details }: Pick<WireError, 'code' | 'details'>): number {
  const field = details?.field;
  const own = typeof field === 'string' && Object.hasOwn(STATUS_OF_FIELD, field) ? STATUS_OF_FIELD[field] : undefined;
  return own ?? STATUS[code];
}

/** When to try again what may be tried again, where the refusal itself does not say. */
const RETRY_SECONDS: { readonly [Code in WireCode]?: number } = { rate_limited: 1, inbox_full: 5, unavailable: 5 };

/** null = to try again is of no use. */
export function retrySeconds({ code, details }: Pick<WireError, 'code' | 'details'>): number | null {
  const retryMs = details?.retry_after_ms;
  if (typeof retryMs === 'number') return Math.max(1, Math.ceil(retryMs / 1000));
  return RETRY_SECONDS[code] ?? null;
}
