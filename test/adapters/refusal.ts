/** The error of a rejected call as plain data, and the expected one to compare with. */

import { type ErrorDetails, ProtocolError } from 'parley-hub/core';

type Refused = Pick<ProtocolError, 'code' | 'message' | 'details'>;

export function refusal(call: () => unknown): Refused {
  try {
    call();
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const { code, message, details } = thrown;
    return { code, message, details };
  }
  throw new Error('expected a refusal, got none');
}

export function refusedAs(code: ProtocolError['code'], message: string, details?: ErrorDetails): Refused {
  return { code, message, details };
}
