/** Controls processes of `child.ts`. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

export class Child {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterableIterator<string>;
  readonly #reader: Interface;

  constructor(script: string) {
    this.process = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.process.stdout === null) throw new Error('a child has a stdout');
    this.#reader = createInterface({ input: this.process.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  static async ready(script: string): Promise<Child> {
    const child = new Child(script);
    if ((await child.line()) !== 'ready') throw new Error('the child did not start');
    return child;
  }

  /** null = ended. */
  async line(): Promise<string | null> {
    const { value, done } = await this.#lines.next();
    return done === true ? null : value;
  }

  tell(told: object): void {
    this.process.stdin?.write(`${JSON.stringify(told)}\n`);
  }

  async answer(): Promise<{ readonly ok: boolean; readonly error_code: string | null }> {
    const line = await this.line();
    if (line === null) throw new Error('the child ended without an answer');
    return JSON.parse(line);
  }

  async ended(): Promise<NodeJS.Signals | null> {
    const { exitCode, signalCode } = this.process;
    if (exitCode === null && signalCode === null) await once(this.process, 'exit');
    return this.process.signalCode;
  }

  async stop(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended();
    this.#reader.close();
  }
}
