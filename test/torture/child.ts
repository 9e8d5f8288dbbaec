/** A process of ours with a plan: it tells when something happens, and is killed when its time has come. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export class Child<To extends object, From extends { readonly kind: string }> {
  readonly exited: Promise<unknown>;
  readonly #process: ChildProcess;

  constructor(script: string, plan: object, hear: (message: From) => void) {
    this.#process = fork(script, [JSON.stringify(plan)], { execArgv: [] });
    this.exited = once(this.#process, 'exit');
    // Over its channel nobody else speaks.
    this.#process.on('message', (message) => hear(message as From));
    this.#process.on('error', () => {});
  }

  send(message: To): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  /** SIGKILL; settles when the system has taken it away. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.exited;
  }
}
