/** Retries operations that the hub rejects temporarily, with pauses. Throws other errors immediately. */

import { WireError } from '../../core/lib/errors.ts';
import type { CancelSignal, Clock } from '../../core/ports/platform.ts';

interface RetryPolicy {
  /** Maximum number of attempts. */
  readonly tries: number;
  /** Pause after the nth attempt; null if the operation must not be retried. */
  pauseMs(refused: WireError, tries: number): number | null;
  /** Called before each pause. */
  onWait?(refused: WireError, waitMs: number): void;
  readonly clock: Clock;
  readonly signal: CancelSignal;
}

const LONGEST_PAUSE_MS = 5_000;

/** Rejects with the error of the last attempt, even if the signal ends the wait. */
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

/** The pause that the hub asks for; otherwise it doubles with each attempt. */
export function backoffMs({ code, details }: WireError, tries: number): number {
  if (code === 'rate_limited') return Math.max(1, Number(details?.retry_after_ms ?? 1_000));
  return Math.min(LONGEST_PAUSE_MS, 100 * 2 ** tries);
}

/** Resolves to false if the signal aborts first. */
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
