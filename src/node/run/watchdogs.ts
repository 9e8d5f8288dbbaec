/** The clocks a program runs against: all in all, until its first output, between outputs, and after its result. */

import type { RunLimits } from '../../participants/processes/program.ts';

export type Watchdog = 'wall' | 'first_output' | 'idle' | 'after_result';

/** What a timer can count to; a longer one would go off at once. */
const LONGEST_MS = 2 ** 31 - 1;

export class Watchdogs {
  readonly #limits: RunLimits;
  readonly #bark: (watchdog: Watchdog) => void;
  readonly #timers = new Map<Watchdog, NodeJS.Timeout>();
  #hasOutput = false;
  #isStopped = false;

  constructor(limits: RunLimits, bark: (watchdog: Watchdog) => void) {
    this.#limits = limits;
    this.#bark = bark;
    this.#start('wall', limits.wallMs);
    this.#start('first_output', limits.firstOutputMs);
  }

  output(): void {
    if (!this.#hasOutput) {
      this.#hasOutput = true;
      this.#stop('first_output');
      this.#start('idle', this.#limits.idleMs);
    }
    this.#timers.get('idle')?.refresh();
    this.#timers.get('after_result')?.refresh();
  }

  /** From here on silence is no failure. */
  result(): void {
    this.#stop('idle');
    this.#stop('first_output');
    if (!this.#timers.has('after_result')) this.#start('after_result', this.#limits.afterResultMs);
  }

  /** For good: what is still read after the end starts no clock. */
  stop(): void {
    this.#isStopped = true;
    for (const watchdog of this.#timers.keys()) this.#stop(watchdog);
  }

  #start(watchdog: Watchdog, ms: number | null): void {
    if (ms === null || this.#isStopped) return;
    const timer = setTimeout(() => this.#bark(watchdog), Math.min(ms, LONGEST_MS));
    this.#timers.set(watchdog, timer);
  }

  #stop(watchdog: Watchdog): void {
    clearTimeout(this.#timers.get(watchdog));
    this.#timers.delete(watchdog);
  }
}
