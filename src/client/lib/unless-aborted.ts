/** Waits for a result until a signal aborts; the work itself continues. */

import type { CancelSignal } from '../../core/ports/platform.ts';

/** Rejects with the reason of the signal if it aborts first. */
export function unlessAborted<T>(result: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
