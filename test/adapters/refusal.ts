/** What a refused call said, as plain data. */

import { ProtocolError } from 'parley-hub/core';

export function refusal(call: () => unknown): Pick<ProtocolError, 'code' | 'message' | 'details'> {
  try {
    call();
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    const { code, message, details } = thrown;
    return { code, message, details };
  }
  throw new Error('expected a refusal, got none');
}
