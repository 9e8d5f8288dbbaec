/** A clock that moves only when the test advances it. */

import type { Clock } from '../../core/ports/platform.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class SimClock implements Clock {
  private wallMs: number;
  private elapsedMs = 0;
  private order = 0;
  private timers: Timer[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.wallMs = startMs;
  }

  now(): number {
    return this.wallMs;
  }

  monotonic(): number {
    return this.elapsedMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.elapsedMs + ms, order: this.order++, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Lets time pass and runs due timers in order. */
  advance(ms: number): void {
    const end = this.elapsedMs + ms;
    for (let timer = this.nextTimer(end); timer !== undefined; timer = this.nextTimer(end)) {
      this.pass(timer.at - this.elapsedMs);
      this.timers = this.timers.filter((other) => other !== timer);
      timer.run();
    }
    this.pass(end - this.elapsedMs);
  }

  /** Sets the wall clock forwards or backwards without time passing. */
  jump(ms: number): void {
    this.wallMs += ms;
  }

  private pass(ms: number): void {
    this.elapsedMs += ms;
    this.wallMs += ms;
  }

  private nextTimer(end: number): Timer | undefined {
    const due = this.timers.filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}
