/** A server and its load, each in a process. */

import { join } from 'node:path';
import type { Latency } from './load.ts';
import { type Talk, Worker } from './orders.ts';
import type { Layout } from './rooms.ts';

/** (a) to (d) of the bench. */
export type Kind = 'plain' | 'corked' | 'commit' | 'parley';

export const KINDS: readonly Kind[] = ['plain', 'corked', 'commit', 'parley'];

let made = 0;

export class Rig {
  readonly kind: Kind;
  readonly #server: Worker;
  readonly #load: Worker;
  readonly port: number;

  private constructor(kind: Kind, server: Worker, port: number) {
    this.kind = kind;
    this.#server = server;
    this.port = port;
    this.#load = new Worker('load-child', []);
  }

  /** `profile`: a folder for a CPU profile of the hub. */
  static async start(kind: Kind, folder: string, profile: string | null = null): Promise<Rig> {
    const path = join(folder, `${kind}-${made++}`);
    const flags = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const server = kind === 'parley' ? new Worker('hub-child', [path], flags) : new Worker('relay-child', [kind, path]);
    return new Rig(kind, server, await server.order<number>({}));
  }

  /** Lets these observe. */
  async observers(names: readonly string[]): Promise<void> {
    await this.#server.order({ observers: names });
  }

  /** CPU time of the server so far, in microseconds. */
  async cpu(): Promise<number> {
    const { user, system } = await this.#server.order<{ user: number; system: number }>({ cpu: true });
    return user + system;
  }

  /** Returns the number of the layout. */
  open(layout: Layout): Promise<number> {
    return this.#load.order({ do: 'open', port: this.port, isHub: this.kind === 'parley', layout });
  }

  /** Posts per second. */
  closed(talk: Talk, inFlight: number): Promise<number> {
    return this.#load.order({ do: 'closed', ...talk, inFlight });
  }

  paced(talk: Talk, rate: number): Promise<Latency> {
    return this.#load.order({ do: 'paced', ...talk, rate });
  }

  async end(): Promise<void> {
    await this.#load.end();
    await this.#server.end();
  }
}
