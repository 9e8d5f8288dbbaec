/** What a refused call or decision said, as plain data. */

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

function plain({ code, message, details }: WireError): Refused {
  return { code, message, details };
}
