/** Follows a program that runs until there is a reason to stop. The first one counts. */

import type { Ending } from './ending.ts';
import type { Output } from './program-output.ts';
import type { RunLimits, RunWatch } from './program.ts';
import type { Started } from './start-program.ts';
import { type Watchdog, Watchdogs } from '../../node/run/watchdogs.ts';

export class Following {
  /** Resolves when there is a reason to stop. */
  readonly stopped: Promise<void>;
  readonly #started: Started;
  readonly #output: Output;
  readonly #watch: RunWatch;
  readonly #dogs: Watchdogs;
  readonly #stop: () => void;
  #ending: Ending | null = null;
  /** What comes after an abort, a failure of who looks on, or too much, is read for nobody. */
  #isHeard = true;

  constructor(started: Started, output: Output, watch: RunWatch, limits: RunLimits) {
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
