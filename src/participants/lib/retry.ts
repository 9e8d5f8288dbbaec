/** Retries what the hub rejects for now, with pauses. Other errors are thrown immediately. */

import { WireError } from '../../core/lib/errors.ts';
import type { CancelSignal, Clock } from '../../core/ports/platform.ts';

export interface RetryPolicy {
  /** How often in all. */
  readonly tries: number;
  /** How long to wait after the nth of them; null = it would be the same again. */
  pauseMs(refused: WireError, tries: number): number | null;
  /** Told of each that is not the last. */
  onWait?(refused: WireError, waitMs: number): void;
  readonly clock: Clock;
  readonly signal: CancelSignal;
}

const LONGEST_PAUSE_MS = 5_000;

/** Rejects with what the last try threw; also if it is not wanted any more. */
export async function retry<T>(run: () => Promise<T>, patience: RetryPolicy): Promise<T> {
  const { clock, signal } = patience;
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (thrown) {
      if (!(thrown instanceof WireError) || tries >= patience.tries) throw thrown;
      const waitMs = patience.pauseMs(thrown, tries);
      if (waitMs === null) throw thrown;
      patience.onWait?.(thrown, waitMs);
      if (!(await pause(waitMs, clock, signal))) throw thrown;
    }
  }
}

/** As long as the hub says, else longer each time. */
export function backoffMs({ code, details }: WireError, tries: number): number {
  if (code === 'rate_limited') return Math.max(1, Number(details?.retry_after_ms ?? 1_000));
  return Math.min(LONGEST_PAUSE_MS, 100 * 2 ** tries);
}

/** False = the signal was faster. */
export function pause(ms: number, clock: Clock, signal?: CancelSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve(true);
    });
    const abort = (): void => {
      stop();
      resolve(false);
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}
