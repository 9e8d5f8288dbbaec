/** Errors of rejected calls and decisions as plain data, and the expected ones to compare with. */

import type { Decision } from '../../src/core/decisions/decision.ts';
import { type ErrorDetails, type WireCode, WireError } from '../../src/core/lib/errors.ts';

export interface Refused {
  readonly code: WireCode;
  readonly message: string;
  readonly details: ErrorDetails | undefined;
}

export function refused(call: () => unknown): Refused {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof WireError) return plain(thrown);
    throw thrown;
  }
  throw new Error('expected a refusal, got none');
}

export function refusedBy(decision: Decision<unknown>): Refused {
  if (decision.kind === 'refuse') return plain(decision.error);
  throw new Error(`expected a refusal, got ${decision.kind}`);
}

export function refusedAs(code: WireCode, message: string, details?: ErrorDetails): Refused {
  return { code, message, details };
}

export function wrongField(field: string, expected: string, received: string, code: WireCode = 'bad_frame'): Refused {
  return refusedAs(code, `${field}: expected ${expected}, got ${received}`, { field, expected, received });
}

function plain({ code, message, details }: WireError): Refused {
  return { code, message, details };
}
