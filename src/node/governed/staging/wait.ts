/** Waits until somebody has handed in a result: looks now and then, and believes what it sees twice. */

import type { Clock } from '../../../core/ports/platform.ts';
import { systemClock } from '../../../system/clock.ts';
import { readStagedResult, type Staged } from '../../../governed/staging/staged-result.ts';

export const POLL_INTERVAL_MS = 2_000;
export const MANUAL_TIMEOUT_MS = 1_200_000;
/** Between the two looks at a result that seems whole. */
const SETTLE_MS = 50;

export interface WaitOptions {
  readonly pollIntervalMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** The version of a file that is not meant: it was there before. */
  readonly except?: string | undefined;
  readonly clock?: Pick<Clock, 'after' | 'monotonic'>;
}

export type Waited =
  | Extract<Staged, { readonly kind: 'ready' | 'refused' }>
  /** `last` is what was seen then: a result that never became whole is told from none. */
  | { readonly kind: 'timeout' | 'aborted'; readonly last: Staged };

export async function waitForStagedResult(root: string, turnId: string, options: WaitOptions = {}): Promise<Waited> {
  const { pollIntervalMs = POLL_INTERVAL_MS, timeoutMs = MANUAL_TIMEOUT_MS, signal, clock = systemClock } = options;
  const { except } = options;
  const until = clock.monotonic() + timeoutMs;
  let before: Staged = { kind: 'absent' };
  for (;;) {
    const now = unless(except, await readStagedResult(root, turnId));
    if (now.kind === 'refused') return now;
    if (now.kind === 'ready' && before.kind === 'ready' && now.version === before.version) return now;
    const left = until - clock.monotonic();
    if (signal?.aborted) return { kind: 'aborted', last: now };
    if (left <= 0) return { kind: 'timeout', last: now };
    before = now;
    await pause(clock, Math.min(now.kind === 'ready' ? SETTLE_MS : pollIntervalMs, left), signal);
  }
}

function unless(except: string | undefined, staged: Staged): Staged {
  return staged.kind === 'ready' && staged.version === except ? { kind: 'absent' } : staged;
}

function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resume) => {
    const stop = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });

    function done(): void {
      stop();
      signal?.removeEventListener('abort', done);
      resume();
    }
  });
}
