/** Follows a running program until there is a reason to stop. The first reason counts; watchdogs provide some of them. */

import type { Ending, Watchdog } from './ending.ts';
import type { RunLimits, RunListener } from './program.ts';
import type { Output } from './program-output.ts';
import type { StartedProgram } from './start-program.ts';

export class RunMonitor {
  /** Resolves when there is a reason to stop. */
  readonly stopped: Promise<void>;
  readonly #started: StartedProgram;
  readonly #output: Output;
  readonly #watch: RunListener;
  readonly #dogs: Watchdogs;
  readonly #stop: () => void;
  #ending: Ending | null = null;
  /** What comes after an abort, a failure of who looks on, or too much, is read for nobody. */
  #isHeard = true;

  constructor(started: StartedProgram, output: Output, watch: RunListener, limits: RunLimits) {
    let stop = (): void => {};
    this.stopped = new Promise((resolve) => {
      stop = resolve;
    });
    this.#stop = stop;
    this.#started = started;
    this.#output = output;
    this.#watch = watch;
    this.#dogs = new Watchdogs(limits, (watchdog) => this.#end(meaningOf(watchdog)));
    watch.signal?.addEventListener('abort', this.#abort, { once: true });
    started.stdout.on('data', (bytes: Buffer) => this.#hear(() => output.readStdout(bytes)));
    started.stderr.on('data', (bytes: Buffer) => this.#hear(() => output.readStderr(bytes)));
    void started.exited.then(() => this.#end({ kind: 'exit' }));
  }

  /** Nobody can write any more: takes what is left, and says what came of it. */
  finish(): Ending {
    if (this.#isHeard) this.#look(() => this.#output.end());
    const ending = this.#ending ?? { kind: 'exit' };
    // With a result at hand nothing that is late is a failure; it may have been the line that had no end.
    return ending.kind === 'timeout' && this.#output.hasResult ? { kind: 'after_result' } : ending;
  }

  #hear(read: () => void): void {
    if (!this.#isHeard) return;
    this.#dogs.output();
    this.#look(read);
    if (this.#output.hasResult) this.#dogs.result();
    if (this.#isHeard && this.#watch.isHopeless?.() === true) this.#end({ kind: 'after_result' });
    if (this.#output.isTooMuch) this.#tooMuch();
  }

  /** A failure of who looks on counts even if the program has ended meanwhile: its output was not understood. */
  #look(read: () => void): void {
    try {
      read();
    } catch (thrown) {
      this.#isHeard = false;
      this.#ending = { kind: 'thrown', thrown };
      this.#end(this.#ending);
    }
  }

  /** It may go on writing until it is ended, but not to us. */
  #tooMuch(): void {
    this.#isHeard = false;
    this.#started.stdout.destroy();
    this.#started.stderr.destroy();
    this.#end(this.#output.hasResult ? { kind: 'after_result' } : { kind: 'output_limit' });
  }

  readonly #abort = (): void => {
    this.#isHeard = false;
    this.#end({ kind: 'aborted', reason: this.#watch.signal?.reason });
  };

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#dogs.stop();
    this.#watch.signal?.removeEventListener('abort', this.#abort);
    this.#stop();
  }
}

function meaningOf(watchdog: Watchdog): Ending {
  return watchdog === 'after_result' ? { kind: 'after_result' } : { kind: 'timeout', watchdog };
}

/** What a timer can count to; a longer one would go off at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clocks a program runs against: all in all, until its first output, between outputs, and after its result. */
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
