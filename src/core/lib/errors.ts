/** The two families of errors: what crosses the wire, and what is for the caller in this process. */

/** Every code a peer can meet, with what it means. The one catalogue; docs and tests are made from it. */
export const WIRE_CODES = {
  bad_frame: 'The frame or a parameter does not parse; the details name the field.',
  unsupported_version: 'The protocol version in hello is not spoken here.',
  unauthenticated: 'The caller is not bound to the identity it speaks for.',
  forbidden: 'The caller is known but may not do this.',
  not_found: 'There is no such thing, or it does not exist for the caller.',
  conflict: 'The state is another than the caller expected.',
  protocol_error: 'The session adapter does not allow this now.',
  not_your_turn: 'Somebody else is expected to speak.',
  session_closed: 'The session is closing or has ended.',
  invalid_create: 'The session cannot be created as asked.',
  rate_limited: 'Too many; try again after retry_after_ms.',
  inbox_full: 'A recipient has too much unread.',
  too_large: 'A value is over its bound.',
  duplicate: 'The idempotency key was used for other content.',
  timeout: 'No answer within the deadline; the effect may still come.',
  unavailable: 'Not possible now; outcome says whether it may have taken effect.',
  internal: 'A defect in the hub or in an extension.',
} as const;

export type WireCode = keyof typeof WIRE_CODES;

/** What a refusal of bad input says: where, what was expected, what came. */
export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

export type ErrorDetails = { readonly [key: string]: unknown };

/** An error with a stable code that is answered to a peer. */
export class WireError extends Error {
  readonly code: WireCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: WireCode, message: string, details?: ErrorDetails, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'WireError';
    this.code = code;
    this.details = details;
  }
}

/** The one error an adapter may throw from `validateCreate` and `validateSend`. */
export class ProtocolError extends WireError {
  constructor(message: string, details?: ErrorDetails, code: 'protocol_error' | 'not_your_turn' = 'protocol_error') {
    super(code, message, details);
    this.name = 'ProtocolError';
  }
}

/** A misuse or failure for the caller in this process; it never crosses the wire. */
export class HubError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HubError';
    this.code = code;
  }
}

/** By shape, not by class: an adapter may come from another copy of this package. */
export function isProtocolError(error: unknown): error is ProtocolError {
  if (!(error instanceof Error) || error.name !== 'ProtocolError') return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  return code === 'protocol_error' || code === 'not_your_turn';
}

/** Anything can be thrown, also what has no text and what throws when it is looked at. */
export function asError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new Error(messageIn(thrown) ?? String(thrown));
    return typeof thrown.message === 'string' ? thrown : new Error('an error without a message was thrown');
  } catch {
    return new Error('something was thrown that cannot be shown');
  }
}

function messageIn(thrown: unknown): string | null {
  const message = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : null;
  return typeof message === 'string' ? message : null;
}

/** What a caller may be told of anything thrown: wire errors as they are, the rest as `internal`. */
export function toWireError(thrown: unknown, doing: string): WireError {
  return thrown instanceof WireError ? thrown : internalError(thrown, doing);
}

/** A defect, whatever class it was thrown as: an adapter cannot choose the code of its own failure. */
export function internalError(thrown: unknown, doing: string): WireError {
  const cause = asError(thrown);
  return new WireError('internal', `${doing} failed: ${cause.message}`, undefined, { cause });
}

export function assertNever(value: never): never {
  throw new HubError('unreachable', `unexpected value ${JSON.stringify(value)}`);
}
