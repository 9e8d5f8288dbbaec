/** A real hub, real clients and bad links; processes are killed at random moments. The journals tell the result. */

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Random, seededRandom } from '../../src/testing/lib/random.ts';
import { check, isHeld, type Journals, type Verdict } from './check.ts';
import { Child } from './child.ts';
import { HubProcess } from './hub-process.ts';
import { readJournal } from './journal.ts';
import type { FromMembers, MemberPlan, MembersPlan, ToMembers } from './messages.ts';
import { loseTheEnd, type Mutant } from './mutants.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { WsProxy } from './ws-proxy.ts';

export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  /** An empty folder for data and journals. */
  readonly folder: string;
  readonly scripts: { readonly hub: string; readonly members: string };
  readonly mutant?: Mutant | undefined;
  /** Without a new line in any journal for this long, the run is considered stuck. */
  readonly patienceMs?: number;
  readonly say?: (line: string) => void;
}

export interface TortureReport {
  readonly verdict: Verdict;
  readonly hubKills: number;
  readonly killedWhileStarting: number;
  readonly clientKills: number;
  readonly cuts: number;
  readonly cutsInMidFrame: number;
  readonly dropped: number;
  readonly delayed: number;
  readonly repeated: number;
  /** Clients of the library that ended without a reason of ours. */
  readonly ended: readonly string[];
}

const PER_PROCESS = 2;

export async function torture(options: TortureOptions): Promise<TortureReport> {
  const one = new Torture(options);
  try {
    return await one.run();
  } finally {
    await one.end();
  }
}

class Torture {
  readonly #options: TortureOptions;
  readonly #random: Random;
  readonly #hub: HubProcess;
  readonly #tcp: TcpProxy;
  readonly #ws: WsProxy;
  readonly #names: readonly string[];
  readonly #groups: Child<ToMembers, FromMembers>[] = [];
  readonly #ended: string[] = [];
  readonly #counts = { hubKills: 0, killedWhileStarting: 0, clientKills: 0 };
  #moves = 0;
  #movedAt = performance.now();
  #wake: () => void = () => {};

  constructor(options: TortureOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#hub = new HubProcess(options.scripts.hub, join(options.folder, 'data'));
    const port = () => this.#hub.port;
    this.#tcp = new TcpProxy({ port, random: seededRandom(options.seed + 1), cutChance: 0.01 });
    const chances = { dropChance: 0.05, repeatChance: 0.03, delayChance: 0.1, mostDelayMs: 40 };
    const dropsForGood = options.mutant === 'drops-for-good' ? { dropsForGood: isDoomed } : {};
    this.#ws = new WsProxy({ port, random: seededRandom(options.seed + 2), ...chances, ...dropsForGood });
    this.#names = Array.from({ length: options.clients }, (_, i) => `m${i}`);
  }

  async run(): Promise<TortureReport> {
    await this.#hub.start();
    const ways = [`ws://127.0.0.1:${this.#hub.port}`, await this.#tcp.listen(), await this.#ws.listen()];
    const plans = this.#names.map((name, i) => this.#plan(name, i, ways));
    for (let i = 0; i < plans.length; i += PER_PROCESS) this.#start(i / PER_PROCESS, plans.slice(i, i + PER_PROCESS));
    for (let round = 1; round <= this.#options.rounds; round++) {
      await this.#movesOn(20 + this.#random.below(40 * this.#options.clients));
      const what = await this.#strike(plans, round);
      this.#options.say?.(`round ${round}: ${what}`);
    }
    // No restart repairs what is lost now: the clients must notice it.
    await this.#movesOn(40 * this.#options.clients);
    const verdict = await this.#settle();
    const { cuts, cutsInMidFrame } = this.#tcp;
    const { dropped, delayed, repeated } = this.#ws;
    return { verdict, ...this.#counts, cuts, cutsInMidFrame, dropped, delayed, repeated, ended: this.#ended };
  }

  async end(): Promise<void> {
    await Promise.all(this.#groups.map((group) => group.kill()));
    await this.#hub.kill();
    this.#tcp.close();
    this.#ws.close();
  }

  /** A third connects directly, a third through cuts, a third through losses. */
  #plan(name: string, i: number, ways: readonly string[]): MemberPlan {
    const journal = join(this.#options.folder, `${name}.journal`);
    const way = i % ways.length;
    return { name, url: ways[way] ?? '', journal, seed: this.#options.seed * 1000 + i, depth: way === 2 ? 1 : 4 };
  }

  #start(at: number, members: readonly MemberPlan[]): void {
    const plan: MembersPlan = { members, names: this.#names, forgets: this.#options.mutant === 'forgetful' };
    this.#groups[at] = new Child<ToMembers, FromMembers>(this.#options.scripts.members, plan, (message) => {
      if (message.kind === 'ended') this.#ended.push(message.why);
      this.#moves += 1;
      this.#movedAt = performance.now();
      this.#wake();
    });
  }

  /** Kills and restarts a process: first the hub, then clients, then at random. */
  async #strike(plans: readonly MemberPlan[], round: number): Promise<string> {
    const random = this.#random;
    const isClients = random.chance(0.35);
    if (round === 2 || (round > 2 && isClients)) {
      const at = random.below(this.#groups.length);
      await this.#groups[at]?.kill();
      this.#counts.clientKills += 1;
      this.#start(at, plans.slice(at * PER_PROCESS, (at + 1) * PER_PROCESS));
      return `client process ${at} killed`;
    }
    await this.#hub.kill();
    this.#counts.hubKills += 1;
    if (this.#options.mutant === 'unsynced') await loseTheEnd(join(this.#options.folder, 'data'));
    const isKilledAgain = random.chance(0.25);
    if (isKilledAgain) {
      const child = this.#hub.begin();
      await pause(random.below(400));
      await child.kill();
      this.#counts.killedWhileStarting += 1;
    }
    await pause(random.below(100));
    await this.#hub.start();
    return isKilledAgain ? 'hub killed, and again while it started' : 'hub killed';
  }

  /** Until the members have written this many lines. */
  async #movesOn(count: number): Promise<void> {
    const enough = this.#moves + count;
    while (this.#moves < enough && !this.#standsStill()) await this.#something();
  }

  #standsStill(): boolean {
    return performance.now() - this.#movedAt > (this.#options.patienceMs ?? 60_000);
  }

  #something(): Promise<unknown> {
    return Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), pause(200)]);
  }

  /** Stops the faults, ends everything begun, and waits for messages in flight. */
  async #settle(): Promise<Verdict> {
    this.#tcp.isQuiet = true;
    this.#ws.isQuiet = true;
    for (const group of this.#groups) group.send({ kind: 'finish' });
    this.#movedAt = performance.now();
    while (!this.#isDone() && !this.#standsStill()) await pause(200);
    for (const group of this.#groups) group.send({ kind: 'leave' });
    await Promise.race([Promise.all(this.#groups.map((group) => group.exited)), pause(5000)]);
    return check(this.#journals());
  }

  #isDone(): boolean {
    const journals = this.#journals();
    const closed = new Set(
      [...journals.values()].flat().flatMap((line) => (line.at === 'closed' ? [line.session] : [])),
    );
    const isOpen = [...journals.values()].flat().some((line) => line.at === 'opened' && !closed.has(line.session));
    return !isOpen && isHeld(check(journals));
  }

  #journals(): Journals {
    return new Map(this.#names.map((name) => [name, readJournal(join(this.#options.folder, `${name}.journal`))]));
  }
}

/** One in some hundred, always the same. */
function isDoomed(text: string): boolean {
  const { kind, envelope } = JSON.parse(text || '{}');
  return kind === 'notify' && envelope.event_type === 'msg.text' && envelope.seq % 10 === 9;
}
