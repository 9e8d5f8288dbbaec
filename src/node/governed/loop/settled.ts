/** Waiting for what somebody else wrote: as long as it takes, but not for ever once it was told to stop. */

import { asError } from '../../../core/lib/errors.ts';
import type { Clock } from '../../../core/ports/platform.ts';

export type Settled<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: Error }
  /** It was told to stop and did not within the grace. What comes of it later is nobody's concern. */
  | { readonly kind: 'left' };

export interface Patience {
  readonly clock: Pick<Clock, 'after'>;
  readonly signal: AbortSignal;
  readonly graceMs: number;
}

export async function settled<T>(
  call: () => T | Promise<T>,
  { clock, signal, graceMs }: Patience,
): Promise<Settled<T>> {
  let stop: () => void = () => undefined;
  let wait: () => void = () => undefined;
  const left = new Promise<Settled<T>>((resolve) => {
    wait = () => {
      stop = clock.after(graceMs, () => resolve({ kind: 'left' }));
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  const own = (async (): Promise<Settled<T>> => {
    try {
      return { kind: 'done', value: await call() };
    } catch (thrown) {
      return { kind: 'threw', error: asError(thrown) };
    }
  })();
  try {
    return await Promise.race([own, left]);
  } finally {
    stop();
    signal.removeEventListener('abort', wait);
  }
}
