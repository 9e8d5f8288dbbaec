/**
 * Time, the lowest room after lib: the hub's own clock (steady-clock.ts), the stamps of envelopes (stamper.ts), and here what is
 * run again or later. Retries count in monotonic time, so setting the wall clock neither hurries nor delays them. Start here.
 */

import { asError } from '../../core/lib/errors.ts';
import { DeadlineHeap } from '../../core/lib/heap.ts';
import type { Clock, Logger } from '../../core/ports/platform.ts';

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

export interface RetryNeeds {
  readonly log: Logger;
  readonly retries: Retries;
}

/** How often is tried what must not be given up. */
const ON_AND_ON_MS = 30_000;

/** Of what is tried without end only the first failures are news. */
const MAX_WARNINGS = 6;

/** `name` tells it from other such work. Settles after the first attempt, and never rejects. */
export function runWithRetries(parts: RetryNeeds, name: string, work: () => Promise<unknown>): Promise<void> {
  return attempted(parts, name, work, null, 1);
}

/** The same for what somebody waits for: it is never given up. */
export function runUntilDone(parts: RetryNeeds, name: string, work: () => Promise<unknown>): Promise<void> {
  return attempted(parts, name, work, ON_AND_ON_MS, 1);
}

async function attempted(
  parts: RetryNeeds,
  name: string,
  work: () => Promise<unknown>,
  laterMs: number | null,
  attempt: number,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = asError(thrown).message;
    if (attempt <= MAX_WARNINGS)
      parts.log.warn('a follow-up could not be carried out', { name: name.replace('\n', ' '), attempt, error });
    const delayMs = retryDelayMs(attempt) ?? laterMs;
    if (delayMs === null) return;
    const again = () => void attempted(parts, name, work, laterMs, attempt + 1);
    parts.retries.schedule(`follow-up\n${name}`, delayMs, again);
  }
}
