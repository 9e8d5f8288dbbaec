/** The hub of a torture run: one process after another on the same folder and port. */

import { Child } from './child.ts';
import type { FromHub, HubPlan, Memory, ToHub } from './messages.ts';

export class HubProcess {
  /** 0 = it never listened. */
  port = 0;
  readonly #script: string;
  readonly #folder: string;
  #child: Child<ToHub, FromHub> | null = null;
  #heard: (message: FromHub) => void = () => {};

  constructor(script: string, folder: string) {
    this.#script = script;
    this.#folder = folder;
  }

  /** Listens on the same port as before. A failed start is repeated: another process may hold the port for a moment. */
  async start(): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const ready = this.#next('ready');
      const child = this.begin();
      const told = await Promise.race([ready, child.exited.then(() => null)]);
      if (told === null) continue;
      this.port = told.port;
      return;
    }
    throw new Error(`the hub did not listen on port ${this.port} in 20 tries`);
  }

  /** A process that may be killed before it listens. */
  begin(): Child<ToHub, FromHub> {
    const plan: HubPlan = { folder: this.#folder, port: this.port };
    this.#child = new Child<ToHub, FromHub>(this.#script, plan, (message) => this.#heard(message));
    return this.#child;
  }

  async kill(): Promise<void> {
    await this.#child?.kill();
  }

  /** `mark`: peaks count from now on. */
  async memory(kind: 'memory' | 'mark' = 'memory'): Promise<Memory> {
    const answer = this.#next('memory');
    this.#child?.send({ kind });
    return (await answer).memory;
  }

  #next<Kind extends FromHub['kind']>(kind: Kind): Promise<Extract<FromHub, { kind: Kind }>> {
    return new Promise((resolve) => {
      this.#heard = (message) => {
        // Of this kind.
        if (message.kind === kind) resolve(message as Extract<FromHub, { kind: Kind }>);
      };
    });
  }
}
