/**
 * When nothing may fire: for a while after a start, after a clock jump between two ticks, and after a session
 * returned.
 */

import type { Clock } from 'parley-hub/core';

const GRACE_MS = 30_000;
const JUMP_MS = 5_000;

export class GraceModel {
  private readonly clock: Clock;
  /** In monotonic time of this life of the hub. */
  private startUntil = 0;
  private jumpUntil = 0;
  private backUntil = new Map<string, number>();
  private drift = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** `isDown`: sessions were live, so some agent noticed the downtime. */
  started(isDown: boolean): void {
    this.startUntil = isDown ? this.clock.monotonic() + GRACE_MS : 0;
    this.jumpUntil = 0;
    this.backUntil = new Map();
    this.drift = this.clock.now() - this.clock.monotonic();
  }

  /** True = the clock has jumped since the last tick. */
  tick(): boolean {
    const drift = this.clock.now() - this.clock.monotonic();
    const jumped = Math.abs(drift - this.drift) > JUMP_MS;
    if (jumped) this.jumpUntil = this.clock.monotonic() + GRACE_MS;
    this.drift = drift;
    return jumped;
  }

  cameBack(sessionId: string): void {
    this.backUntil.set(sessionId, this.clock.monotonic() + GRACE_MS);
  }

  /** Why nothing of the session may fire now, or null. */
  heldBy(sessionId: string): string | null {
    const now = this.clock.monotonic();
    if (now < this.startUntil) return 'the hub has just started';
    if (now < this.jumpUntil) return 'the clock has just jumped';
    return now < (this.backUntil.get(sessionId) ?? 0) ? 'the session has just come back' : null;
  }
}
