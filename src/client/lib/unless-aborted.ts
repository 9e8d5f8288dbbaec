/** Waits for a result no longer than the signal allows; the work itself goes on. */

import type { CancelSignal } from '../../core/ports/platform.ts';

/** Rejects with the reason of the signal. */
export function unlessAborted<T>(result: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
