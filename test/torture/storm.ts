/**
 * Many clients lose the hub at the same time, first their sockets and then the process: all return, nothing is lost,
 * and the hub stays small.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../../src/testing/lib/random.ts';
import { Child } from './child.ts';
import { HubProcess } from './hub-process.ts';
import type { Memory } from './messages.ts';
import type { FromStorm, StormCount, StormPlan, ToStorm } from './storm-messages.ts';
import { TcpProxy } from './tcp-proxy.ts';

export interface StormOptions {
  readonly clients: number;
  /** An empty folder. */
  readonly folder: string;
  readonly scripts: { readonly hub: string; readonly members: string };
  /** Without progress for this long, the run is considered stuck. */
  readonly patienceMs?: number;
  readonly say?: (line: string) => void;
}

export interface StormReport {
  readonly clients: number;
  /** Connections cut at the same time. */
  readonly cut: number;
  readonly count: StormCount;
  readonly steady: Memory;
  /** While the cut clients returned. */
  readonly afterCut: Memory;
  /** From the start of the new process until all had returned. */
  readonly afterKill: Memory;
}

export async function storm(options: StormOptions): Promise<StormReport> {
  const { clients, folder, scripts, patienceMs = 60_000, say = () => {} } = options;
  requireFiles(clients);
  const hub = new HubProcess(scripts.hub, join(folder, 'data'));
  const proxy = new TcpProxy({ port: () => hub.port, random: seededRandom(1), cutChance: 0 });
  await hub.start();
  const plan: StormPlan = { clients, url: await proxy.listen(), directUrl: `ws://127.0.0.1:${hub.port}` };
  const crowd = new Crowd(scripts.members, plan, patienceMs);
  try {
    await crowd.prepared;
    await crowd.allHear();
    say(`storm: ${clients} clients are connected`);
    const steady = await hub.memory('mark');
    const cut = proxy.cutAll();
    await crowd.allHear();
    const afterCut = await hub.memory();
    say(`storm: ${cut} sockets were cut at once, and all are back`);
    await hub.kill();
    const all = crowd.allHear();
    await hub.start();
    const count = await all;
    say('storm: the hub was killed, and all are back');
    return { clients, cut, count, steady, afterCut, afterKill: await hub.memory() };
  } finally {
    await crowd.kill();
    await hub.kill();
    proxy.close();
  }
}

/** The process of clients. */
class Crowd {
  readonly prepared: Promise<void>;
  readonly #child: Child<ToStorm, FromStorm>;
  readonly #patienceMs: number;
  #counted: (count: StormCount) => void = () => {};

  constructor(script: string, plan: StormPlan, patienceMs: number) {
    this.#patienceMs = patienceMs;
    let prepared = (): void => {};
    const isPrepared = new Promise<void>((resolve) => {
      prepared = resolve;
    });
    this.#child = new Child<ToStorm, FromStorm>(script, plan, (message) => {
      if (message.kind === 'prepared') prepared();
      else this.#counted(message.count);
    });
    const failed = this.#child.exited.then(() => Promise.reject(new Error('the process of clients ended')));
    failed.catch(() => {});
    this.prepared = Promise.race([isPrepared, failed]);
  }

  /** Every client posts to its poster, and every poster to its client, until all posts are delivered or nothing moves. */
  async allHear(): Promise<StormCount> {
    this.#child.send({ kind: 'post' });
    let [last, movedAt] = ['', performance.now()];
    for (;;) {
      const count = await this.#count();
      const isDone = count.incomplete === 0 && count.away === 0 && count.posted === count.asked;
      if (isDone || performance.now() - movedAt > this.#patienceMs) return count;
      if (JSON.stringify(count) !== last) [last, movedAt] = [JSON.stringify(count), performance.now()];
      await pause(100);
    }
  }

  async kill(): Promise<void> {
    await this.#child.kill();
  }

  #count(): Promise<StormCount> {
    return new Promise((resolve) => {
      this.#counted = resolve;
      this.#child.send({ kind: 'count' });
    });
  }
}

/** The proxy has two sockets per client. */
function requireFiles(clients: number): void {
  const needed = 2 * clients + 256;
  // Node has raised its limit as far as it can, and children inherit it.
  const limit = Number(spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout);
  if (Number.isNaN(limit) || limit >= needed) return;
  throw new Error(
    `a storm of ${clients} needs ${needed} open files, and this system allows ${limit}; try "ulimit -n ${needed}", or fewer clients`,
  );
}
