/** Tracks staged units until they are durable. Bounds their bytes and waiting time; accepts none after a store failure. */

import { WireError } from '../../core/lib/errors.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { AppendOutcome } from '../../core/ports/store.ts';
import type { Limits } from '../../core/records/access/limits.ts';
import { Histogram, SHORT_MS } from '../lib/histogram.ts';

export interface AppendListener {
  settle(outcome: AppendOutcome): void;
}

interface Flush {
  readonly outcome: Promise<AppendOutcome>;
  readonly at: number;
  readonly settlers: AppendListener[];
  bytes: number;
}

export class Backlog {
  /** Time from the first unit of a flush to its outcome. */
  readonly flushMs: Histogram = new Histogram(SHORT_MS);
  private readonly clock: Clock;
  private readonly limits: Limits;
  private readonly flushes: Flush[] = [];
  private newest: Flush | null = null;
  private failure: Error | null = null;
  units = 0;
  bytes = 0;

  constructor(clock: Clock, limits: Limits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** Why the store accepts no writes; null if it does. */
  get failed(): Error | null {
    return this.failure;
  }

  /** Counts a staged unit until its outcome is known, then settles it. Units of one flush may share an outcome: it is awaited once. */
  add(bytes: number, outcome: Promise<AppendOutcome>, settler: AppendListener): void {
    const flush = this.newest?.outcome === outcome ? this.newest : this.begin(outcome);
    flush.settlers.push(settler);
    flush.bytes += bytes;
    this.units += 1;
    this.bytes += bytes;
  }

  private begin(outcome: Promise<AppendOutcome>): Flush {
    const flush: Flush = { outcome, at: this.clock.monotonic(), settlers: [], bytes: 0 };
    this.flushes.push(flush);
    this.newest = flush;
    void outcome.then((known) => this.settle(flush, known));
    return flush;
  }

  private settle(flush: Flush, outcome: AppendOutcome): void {
    this.flushMs.observe(this.clock.monotonic() - flush.at);
    this.flushes.splice(this.flushes.indexOf(flush), 1);
    if (this.newest === flush) this.newest = null;
    this.units -= flush.settlers.length;
    this.bytes -= flush.bytes;
    for (const settler of flush.settlers) settler.settle(outcome);
  }

  /** Records a store failure: from now on the hub accepts nothing (L10). */
  fail(error: Error): void {
    this.failure ??= error;
  }

  /** Throws if the hub cannot accept new work. Called before admission, when nothing is staged yet. */
  check(): void {
    if (this.failure !== null) throw storeFailedError(this.failure, 'refused');
    const oldest = this.flushes[0];
    const waitedMs = oldest === undefined ? 0 : this.clock.monotonic() - oldest.at;
    if (waitedMs > this.limits.maxFlushMs) throw behind(`a write has taken ${Math.round(waitedMs)} ms`);
    if (this.bytes > this.limits.maxStagedBytes) throw behind(`${this.bytes} bytes wait to be written`);
  }
}

export function storeFailedError(error: Error, outcome: 'refused' | 'unknown'): WireError {
  const after = outcome === 'unknown' ? '; it may be in the log: retry with the same key when the hub is back' : '';
  return new WireError('unavailable', `the hub cannot write: ${error.message}${after}`, { outcome }, { cause: error });
}

function behind(why: string): WireError {
  return new WireError('unavailable', `the hub writes too slowly: ${why}; try again`, {
    outcome: 'refused',
    retry_after_ms: 1000,
  });
}
