/** Waits a while, unless it is no longer wanted. */

import type { CancelSignal, Clock } from '../core/ports/platform.ts';

/** False = the signal was faster. */
export function pause(ms: number, clock: Clock, signal: CancelSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve(true);
    });
    const abort = (): void => {
      stop();
      resolve(false);
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}
