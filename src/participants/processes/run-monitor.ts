/** Follows a running program until there is a reason to stop; the first reason counts. */

import type { Ending, Watchdog } from './ending.ts';
import type { RunLimits, RunListener } from './program.ts';
import type { Output } from './program-output.ts';
import type { StartedProgram } from './start-program.ts';

export class RunMonitor {
  readonly stopped: Promise<void>;
  readonly #started: StartedProgram;
  readonly #output: Output;
  readonly #watch: RunListener;
  readonly #dogs: Watchdogs;
  readonly #stop: () => void;
  #ending: Ending | null = null;
  /** False after an abort, a listener error or too much output: the rest is discarded. */
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
    this.#dogs = new Watchdogs(limits, (watchdog) => this.#end(endingOf(watchdog)));
    watch.signal?.addEventListener('abort', this.#abort, { once: true });
    started.stdout.on('data', (bytes: Buffer) => this.#hear(() => output.readStdout(bytes)));
    started.stderr.on('data', (bytes: Buffer) => this.#hear(() => output.readStderr(bytes)));
    void started.exited.then(() => this.#end({ kind: 'exit' }));
  }

  /** Flushes the output and returns why the run ended. */
  finish(): Ending {
    if (this.#isHeard) this.#look(() => this.#output.end());
    const ending = this.#ending ?? { kind: 'exit' };
    // A result takes precedence over a timeout: its final line may have had no line break.
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

  /** A listener error counts even if the program has already exited, since its output was not understood. */
  #look(read: () => void): void {
    try {
      read();
    } catch (thrown) {
      this.#isHeard = false;
      this.#ending = { kind: 'thrown', thrown };
      this.#end(this.#ending);
    }
  }

  /** Stop reading; the program may keep writing until it is stopped. */
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

function endingOf(watchdog: Watchdog): Ending {
  return watchdog === 'after_result' ? { kind: 'after_result' } : { kind: 'timeout', watchdog };
}

/** The maximum of Node's timers; a longer one would fire immediately. */
const LONGEST_MS = 2 ** 31 - 1;

/** The timers of a run: total time, first output, silence, and silence after the result. */
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

  /** Stops the timers for silence: after the result, silence is not a failure. */
  result(): void {
    this.#stop('idle');
    this.#stop('first_output');
    if (!this.#timers.has('after_result')) this.#start('after_result', this.#limits.afterResultMs);
  }

  /** Stops the timers permanently: output read after the end starts none. */
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
