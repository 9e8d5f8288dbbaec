/** Nacked deliveries that wait for their next attempt. */

import { DeadlineHeap } from '../core/heap.ts';

const DELAYS_MS: readonly number[] = [1000, 2000, 4000, 8000, 16_000];

/** The delay before the repeat that follows `attempt` failed ones; null = no more. */
export function retryDelayMs(attempt: number): number | null {
  return DELAYS_MS[attempt - 1] ?? null;
}

export class Retries {
  private readonly heap: DeadlineHeap = new DeadlineHeap();
  private readonly runs = new Map<string, () => void>();

  schedule(key: string, atMs: number, run: () => void): void {
    this.heap.set(key, atMs);
    this.runs.set(key, run);
  }

  cancel(key: string): void {
    this.heap.set(key, null);
    this.runs.delete(key);
  }

  runDue(nowMs: number): void {
    for (const key of this.heap.takeDue(nowMs)) {
      const run = this.runs.get(key);
      this.runs.delete(key);
      run?.();
    }
  }
}
