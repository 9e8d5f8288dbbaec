/** The test's end of a hub process: it opens a folder, is connected to, and is killed. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Link } from '../../../src/core/lib/link.ts';
import type { Health } from '../../../src/core/protocol/operations/console-hub.ts';
import { Peer } from '../../../src/testing/doubles/peer.ts';
import type { FromChild, ToChild } from './hub-messages.ts';

export interface HubProcessOptions {
  /** Blocks of 1 KiB that no file may be larger than (`ulimit -f`). */
  readonly maxFileKib?: number;
}

export interface OpenOptions {
  readonly segmentBytes?: number;
  readonly exitOnStoreFailure?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Told<Kind extends FromChild['kind']> = Extract<FromChild, { kind: Kind }>;

export class HubProcess {
  static readonly #running = new Set<HubProcess>();
  readonly exited: Promise<Exit>;
  /** All of its output. */
  readonly storeFailures: string[] = [];
  readonly #child: ChildProcess;
  readonly #links = new Map<number, ChannelLink>();
  readonly #waiting: { readonly kinds: readonly string[]; readonly settle: (told: FromChild) => void }[] = [];
  readonly #loaded: Promise<FromChild>;

  /** Starts the process; requests wait until it is loaded. */
  constructor(script: string, { maxFileKib }: HubProcessOptions = {}) {
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    const limited = `ulimit -f ${maxFileKib} && exec "$0" "$1"`;
    this.#child =
      maxFileKib === undefined
        ? spawn(process.execPath, [script], { stdio: [...stdio] })
        : spawn('bash', ['-c', limited, process.execPath, script], { stdio: [...stdio] });
    this.exited = once(this.#child, 'exit').then(([code, signal]) => {
      HubProcess.#running.delete(this);
      for (const link of this.#links.values()) link.end();
      return { code, signal };
    });
    this.#child.on('message', (told: FromChild) => this.#hear(told));
    // Messages to a killed process are lost; `exited` reports the kill.
    this.#child.on('error', () => {});
    this.#loaded = this.#next('loaded');
    HubProcess.#running.add(this);
  }

  /** Whatever a test left behind. */
  static async endAll(): Promise<void> {
    for (const hub of [...HubProcess.#running]) await hub.kill();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Loaded, and nothing opened yet. */
  async loaded(): Promise<void> {
    await this.#loaded;
  }

  async open(folder: string, options: OpenOptions = {}): Promise<void> {
    const told = await this.tryOpen(folder, options);
    if (told.kind === 'refused') throw new Error(`${told.code}: ${told.message}`);
  }

  async tryOpen(folder: string, options: OpenOptions = {}): Promise<Told<'opened' | 'refused'>> {
    await this.#loaded;
    const { segmentBytes = 256 * 1024, exitOnStoreFailure = false } = options;
    const answer = this.#next('opened', 'refused');
    this.#send({ kind: 'open', folder, segmentBytes, exitOnStoreFailure });
    return answer;
  }

  /** A connection that says hello, registers if it must, and acks what it gets. */
  async peer(name: string): Promise<Peer> {
    const link = this.#connect();
    const peer = new Peer(link);
    peer.acks = true;
    peer.hello(name);
    while (peer.frames.length === 0) await link.heard();
    if (peer.agentId === '') await peer.call('register', { name });
    while (peer.agentId === '') await link.heard();
    return peer;
  }

  async health(): Promise<Health | null> {
    const answer = this.#next('health');
    this.#send({ kind: 'health' });
    return (await answer).health;
  }

  /** SIGKILL; settles when the system has taken it away. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  /** Closes in order. */
  async stop(): Promise<void> {
    this.#send({ kind: 'stop' });
    await this.exited;
  }

  #connect(): ChannelLink {
    const number = this.#links.size + 1;
    const link = new ChannelLink((text) => this.#send({ kind: 'frame', link: number, text }));
    this.#links.set(number, link);
    return link;
  }

  #send(message: ToChild): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #next<Kind extends FromChild['kind']>(...kinds: readonly Kind[]): Promise<Told<Kind>> {
    return new Promise((resolve) => {
      // The kinds are those that were asked for.
      this.#waiting.push({ kinds, settle: (told) => resolve(told as Told<Kind>) });
    });
  }

  #hear(told: FromChild): void {
    if (told.kind === 'frame') return this.#links.get(told.link)?.hear(told.text);
    if (told.kind === 'storeFailed') this.storeFailures.push(told.message);
    const at = this.#waiting.findIndex(({ kinds }) => kinds.includes(told.kind));
    if (at !== -1) this.#waiting.splice(at, 1)[0]?.settle(told);
  }
}

/** A link over the channel of a process; it closes when the process ends. */
class ChannelLink implements Link {
  readonly send: (text: string) => void;
  #receive: (text: string) => void = () => {};
  #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  readonly #closers: (() => void)[] = [];

  constructor(send: (text: string) => void) {
    this.send = send;
  }

  onMessage(receive: (text: string) => void): void {
    this.#receive = receive;
  }

  onClose(closed: () => void): void {
    this.#closers.push(closed);
  }

  close(): void {
    this.end();
  }

  hear(text: string): void {
    this.#receive(text);
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** Something came. */
  heard(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  end(): void {
    for (const closed of this.#closers.splice(0)) closed();
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the process of the hub ended'));
  }
}
