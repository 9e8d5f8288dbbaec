/** Which HTTP status stands for which wire code. The one table: answers and the OpenAPI document are made from it. */

import type { WireCode } from '../../core/errors.ts';

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
