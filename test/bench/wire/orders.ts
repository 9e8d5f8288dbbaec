/** Orders of the bench to its processes, one at a time; each is answered with its result. */

import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Layout } from './rooms.ts';

export type LoadOrder =
  | { readonly do: 'open'; readonly port: number; readonly isHub: boolean; readonly layout: Layout }
  | (Talk & { readonly do: 'closed'; readonly inFlight: number })
  | (Talk & { readonly do: 'paced'; readonly rate: number });

export type ConsoleOrder =
  | { readonly do: 'join'; readonly port: number; readonly lists: number; readonly inSession: number }
  | { readonly do: 'look' | 'rest' };

export interface Talk {
  readonly layout: number;
  readonly rooms: number;
  readonly ms: number;
}

type Answer = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: string };

/** A process that executes orders. It ends when dismissed, or when we end. */
export class Worker {
  readonly #child: ChildProcess;
  #fail: (error: Error) => void = () => {};

  constructor(script: string, args: readonly string[], nodeFlags: readonly string[] = []) {
    // Its neighbours have the extension of this file, compiled or not.
    const extension = extname(import.meta.url);
    const path = fileURLToPath(new URL(`./${script}${extension}`, import.meta.url));
    const asSource = extension === '.ts' ? ['--conditions=parley-source', '--import', 'tsx'] : [];
    this.#child = fork(path, args, { execArgv: [...asSource, ...nodeFlags], serialization: 'json' });
    this.#child.on('exit', (code, signal) => this.#fail(new Error(`${script} ended (${code ?? signal})`)));
  }

  order<T>(order: unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#child.once('message', (message) => {
        const answer = message as Answer;
        if (answer.ok) resolve(answer.result as T);
        else reject(new Error(answer.error));
      });
      this.#child.send(order as object);
    });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#fail = () => {};
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.disconnect();
    await ended;
  }
}

/** The other side of a Worker. */
export function answerOrders<Order>(carryOut: (order: Order) => Promise<unknown>, stop?: () => Promise<unknown>): void {
  process.on('message', (order) => {
    const answer = (given: Answer) => process.send?.(given);
    carryOut(order as Order).then(
      (result) => answer({ ok: true, result: result ?? null }),
      (thrown: unknown) => answer({ ok: false, error: String(thrown) }),
    );
  });
  process.on('disconnect', () => {
    void (stop?.() ?? Promise.resolve()).finally(() => process.exit());
  });
}
