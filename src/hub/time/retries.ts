/**
 * Time: the hub's own clock (steady-clock.ts), the stamps of envelopes (stamper.ts), and delayed and repeated work.
 * Retries use monotonic time, so setting the wall clock neither hurries nor delays them. Start here.
 */

import { asError } from '../../core/lib/errors.ts';
import { DeadlineHeap } from '../../core/lib/heap.ts';
import type { Clock, Logger } from '../../core/ports/platform.ts';

const DELAYS_MS: readonly number[] = [1000, 2000, 4000, 8000, 16_000];

/** The delay after `attempt` failed attempts; null if there are no more retries. */
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

  /** Schedules `run`; replaces a run scheduled under the same key. */
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

interface RetryNeeds {
  readonly log: Logger;
  readonly retries: Retries;
}

const ENDLESS_RETRY_MS = 30_000;

/** Endless retries log only their first failures. */
const MAX_WARNINGS = 6;

/** Runs work that no caller waits for, with up to five retries. Settles after the first attempt; never rejects. */
export function runWithRetries(parts: RetryNeeds, name: string, work: () => Promise<unknown>): Promise<void> {
  return attemptWork(parts, name, work, null, 1);
}

/** Like `runWithRetries`, but retries until the work succeeds. */
export function runUntilDone(parts: RetryNeeds, name: string, work: () => Promise<unknown>): Promise<void> {
  return attemptWork(parts, name, work, ENDLESS_RETRY_MS, 1);
}

async function attemptWork(
  parts: RetryNeeds,
  name: string,
  work: () => Promise<unknown>,
  endlessMs: number | null,
  attempt: number,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = asError(thrown).message;
    if (attempt <= MAX_WARNINGS)
      parts.log.warn('a follow-up could not be carried out', { name: name.replace('\n', ' '), attempt, error });
    const delayMs = retryDelayMs(attempt) ?? endlessMs;
    if (delayMs === null) return;
    const retry = () => void attemptWork(parts, name, work, endlessMs, attempt + 1);
    parts.retries.schedule(`follow-up\n${name}`, delayMs, retry);
  }
}
