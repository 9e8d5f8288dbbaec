/**
 * The hub's clock: follows the wall clock while that moves forward. If the wall clock is set back, it continues at the same pace,
 * so stamps never go back and a correction of the clock delays no deadline.
 */

import type { Clock } from '../../core/ports/platform.ts';

/** A smaller deviation between two reads is not a clock change; the hub's time stands still until it is caught up. */
const SLACK_MS = 1_000;

export class SteadyClock implements Clock {
  private readonly wall: Clock;
  private aheadMs = 0;
  private lastMs: number;
  private lastWallMs: number;
  private last: number;

  constructor(wall: Clock) {
    this.wall = wall;
    this.lastWallMs = wall.now();
    this.lastMs = this.lastWallMs;
    this.last = wall.monotonic();
  }

  now(): number {
    const wallMs = this.wall.now();
    const now = this.wall.monotonic();
    const setMs = wallMs - this.lastWallMs - (now - this.last);
    if (setMs < -SLACK_MS) this.aheadMs -= setMs;
    else if (setMs > SLACK_MS && this.aheadMs > 0) this.aheadMs = Math.max(0, this.aheadMs - setMs);
    this.lastWallMs = wallMs;
    this.last = now;
    this.lastMs = Math.max(this.lastMs, Math.floor(wallMs + this.aheadMs));
    return this.lastMs;
  }

  /** Moves the clock up to a time found in a record, so that the present is not earlier. */
  reached(ms: number): void {
    const behindMs = ms - this.now();
    if (behindMs > SLACK_MS) this.aheadMs += behindMs;
  }

  monotonic(): number {
    return this.wall.monotonic();
  }

  after(ms: number, run: () => void): () => void {
    return this.wall.after(ms, run);
  }
}
