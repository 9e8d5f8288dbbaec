/**
 * The hub's time: the wall clock as long as that goes forward. If it is set back, time goes on from where it was, at the same pace:
 * stamps never go back, so what is due is due by them, and a clock that was corrected delays nothing.
 */

import type { Clock } from '../../core/ports/platform.ts';

/** Less than this a wall clock may be off between two looks without having been set; time only waits for it. */
const SLACK_MS = 1_000;

export class SteadyClock implements Clock {
  private readonly wall: Clock;
  /** How far the hub is ahead of the wall clock. */
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

  /** Something has this time: it is not before that. */
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
