/** The two error families: `WireError` crosses the wire, `HubError` is for the caller in this process. */

/** Every error code with its meaning. Docs and tests are generated from this catalogue. */
export const WIRE_CODES = {
  bad_frame: 'The frame or a parameter is invalid; the details name the field.',
  unsupported_version: 'The hub does not support the protocol version in hello.',
  unauthenticated: 'The caller is not bound to the identity it acts as.',
  forbidden: 'The caller is known but may not do this.',
  not_found: 'It does not exist, or the caller may not see it.',
  conflict: 'The state differs from what the caller expected.',
  protocol_error: 'The session adapter does not allow this now.',
  not_your_turn: 'Another participant holds the turn.',
  session_closed: 'The session is closing or has ended.',
  invalid_create: 'The session cannot be created with these parameters.',
  rate_limited: 'Too many requests; try again after retry_after_ms.',
  inbox_full: 'The inbox of a recipient is full.',
  too_large: 'A value exceeds its limit.',
  duplicate: 'The idempotency key was already used for different content.',
  timeout: 'No answer within the deadline; it may still take effect.',
  unavailable: 'Not possible now; outcome tells whether it may have taken effect.',
  internal: 'A defect in the hub or in an extension.',
} as const;

export type WireCode = keyof typeof WIRE_CODES;

/** Describes one invalid input: where it is, what was expected and what was received. */
export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

export type ErrorDetails = { readonly [key: string]: unknown };

/** An error with a stable code that the hub sends to a peer. */
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

/** A misuse or failure reported to the caller in this process; never crosses the wire. */
export class HubError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HubError';
    this.code = code;
  }
}

/** Checks the shape, not the class: an adapter may come from another copy of this package. */
export function isProtocolError(error: unknown): error is ProtocolError {
  if (!(error instanceof Error) || error.name !== 'ProtocolError') return false;
  const code: unknown = 'code' in error ? error.code : undefined;
  return code === 'protocol_error' || code === 'not_your_turn';
}

/** Converts any thrown value, even one that throws when it is read. */
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

/** The error to answer with: wire errors unchanged, anything else as `internal`. */
export function toWireError(thrown: unknown, doing: string): WireError {
  return thrown instanceof WireError ? thrown : internalError(thrown, doing);
}

/** Always `internal`, whatever class was thrown: an adapter cannot choose an error code. */
export function internalError(thrown: unknown, doing: string): WireError {
  const cause = asError(thrown);
  return new WireError('internal', `${doing} failed: ${cause.message}`, undefined, { cause });
}

export function assertNever(value: never): never {
  throw new HubError('unreachable', `unexpected value ${JSON.stringify(value)}`);
}
