/** A child process with a plan: reports events, and is killed in time. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export class Child<To extends object, From extends { readonly kind: string }> {
  readonly exited: Promise<unknown>;
  readonly #process: ChildProcess;

  constructor(script: string, plan: object, hear: (message: From) => void) {
    this.#process = fork(script, [JSON.stringify(plan)], { execArgv: [] });
    this.exited = once(this.#process, 'exit');
    // Its channel is private.
    this.#process.on('message', (message) => hear(message as From));
    this.#process.on('error', () => {});
  }

  send(message: To): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  /** Sends SIGKILL; settles when the process has ended. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.exited;
  }
}
