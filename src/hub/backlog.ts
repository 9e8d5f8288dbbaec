/** What is staged and not yet durable: bounded in bytes and in time, and stopped for good when the store fails. */

import { WireError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock } from '../core/ports.ts';

interface Staged {
  readonly bytes: number;
  readonly at: number;
}

export class Backlog {
  private readonly clock: Clock;
  private readonly limits: Limits;
  private readonly staged = new Set<Staged>();
  private failure: Error | null = null;
  bytes = 0;

  constructor(clock: Clock, limits: Limits) {
    this.clock = clock;
    this.limits = limits;
  }

  get units(): number {
    return this.staged.size;
  }

  /** Why nothing can be taken; null = all is well. */
  get failed(): Error | null {
    return this.failure;
  }

  add(bytes: number): Staged {
    const staged = { bytes, at: this.clock.monotonic() };
    this.staged.add(staged);
    this.bytes += bytes;
    return staged;
  }

  settle(staged: Staged): void {
    if (this.staged.delete(staged)) this.bytes -= staged.bytes;
  }

  /** The disk refused: from now on nothing is accepted (L10). */
  fail(error: Error): void {
    this.failure ??= error;
  }

  /** Throws when new work cannot be taken now. Asked before admission, so that a refusal is certain. */
  check(): void {
    if (this.failure !== null) throw storeFailed(this.failure, 'refused');
    const oldest = this.staged.values().next().value;
    const waitedMs = oldest === undefined ? 0 : this.clock.monotonic() - oldest.at;
    if (waitedMs > this.limits.maxFlushMs) throw behind(`a write has taken ${Math.round(waitedMs)} ms`);
    if (this.bytes > this.limits.maxStagedBytes) throw behind(`${this.bytes} bytes wait to be written`);
  }
}

export function storeFailed(error: Error, outcome: 'refused' | 'unknown'): WireError {
  const after = outcome === 'unknown' ? '; it may be in the log: try again with the same key when the hub is back' : '';
  return new WireError('unavailable', `the hub cannot write: ${error.message}${after}`, { outcome }, { cause: error });
}

function behind(why: string): WireError {
  return new WireError('unavailable', `the hub is behind: ${why}; try again`, {
    outcome: 'refused',
    retry_after_ms: 1000,
  });
}
