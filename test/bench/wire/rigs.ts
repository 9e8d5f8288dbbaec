/** Servers side by side with the same rooms open. */

import { join } from 'node:path';
import type { Latency } from './load.ts';
import { type Talk, Worker } from './orders.ts';
import type { Layout } from './rooms.ts';
import { ending, type WireSetting } from './setting.ts';

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

  async observers(names: readonly string[]): Promise<void> {
    await this.#server.order({ observers: names });
  }

  /** CPU time of the server so far, in microseconds. */
  async cpu(): Promise<number> {
    const { user, system } = await this.#server.order<{ user: number; system: number }>({ cpu: true });
    return user + system;
  }

  open(layout: Layout): Promise<number> {
    return this.#load.order({ do: 'open', port: this.port, isHub: this.kind === 'parley', layout });
  }

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

export const SESSIONS = 64;

export class Rigs {
  readonly #rigs: readonly Rig[];
  /** Layouts by room size, the same on every server. */
  readonly layoutOf: Readonly<Record<2 | 4, number>> = { 2: 0, 4: 1 };

  private constructor(rigs: readonly Rig[]) {
    this.#rigs = rigs;
  }

  static async using<T>(
    kinds: readonly Kind[],
    { sizes, folder, profile, note }: WireSetting,
    work: (rigs: Rigs) => Promise<T>,
  ): Promise<T> {
    note(`starting ${kinds.join(', ')}; each gets ${sizes.rooms} rooms`);
    const started = await Promise.all(kinds.map((kind) => Rig.start(kind, folder, profile)));
    return ending(started, async () => {
      const rooms = Math.min(SESSIONS, sizes.rooms);
      for (const rig of started) {
        await rig.open({ groups: sizes.rooms, parties: 2, rooms: sizes.rooms });
        await rig.open({ groups: rooms, parties: 4, rooms });
      }
      note('warming up');
      for (const rig of started) await rig.closed({ layout: 0, rooms, ms: sizes.warmMs }, rooms * 8);
      return work(new Rigs(started));
    });
  }

  of(kind: Kind): Rig {
    const rig = this.#rigs.find((one) => one.kind === kind);
    if (rig === undefined) throw new Error(`${kind} was not started`);
    return rig;
  }
}
