/** What is to be tried again, or done after a while: in time that does not follow the wall clock when it is set. */

import { DeadlineHeap } from '../core/lib/heap.ts';
import type { Clock } from '../core/ports/platform.ts';

const DELAYS_MS: readonly number[] = [1000, 2000, 4000, 8000, 16_000];

/** The delay before the repeat that follows `attempt` failed ones; null = no more. */
export function retryDelayMs(attempt: number): number | null {
  return DELAYS_MS[attempt - 1] ?? null;
}

export class Retries {
  private readonly clock: Clock;
  private readonly heap: DeadlineHeap = new DeadlineHeap();
  private readonly runs = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** One per key: a second replaces the first. */
  schedule(key: string, delayMs: number, run: () => void): void {
    this.heap.set(key, this.clock.monotonic() + delayMs);
    this.runs.set(key, run);
  }

  cancel(key: string): void {
    this.heap.set(key, null);
    this.runs.delete(key);
  }

  runDue(): void {
    for (const key of this.heap.takeDue(this.clock.monotonic())) {
      const run = this.runs.get(key);
      this.runs.delete(key);
      run?.();
    }
  }
}
