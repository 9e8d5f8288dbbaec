/** A proxy that loses, delays and repeats whole messages in both directions, in order. */

import type { AddressInfo } from 'node:net';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { Random } from '../../src/testing/lib/random.ts';

export interface WsProxyOptions {
  /** Where the hub is now. */
  readonly port: () => number;
  readonly random: Random;
  readonly dropChance: number;
  readonly repeatChance: number;
  readonly delayChance: number;
  readonly mostDelayMs: number;
  /** A mutant: matching messages never arrive. */
  readonly dropsForGood?: (text: string) => boolean;
}

export class WsProxy {
  dropped = 0;
  repeated = 0;
  delayed = 0;
  /** Forwards messages unchanged. */
  isQuiet = false;
  readonly #options: WsProxyOptions;
  readonly #server: WebSocketServer;

  constructor(options: WsProxyOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
    this.#server.on('connection', (near) => this.#accept(near));
  }

  async listen(): Promise<string> {
    if (this.#server.address() === null) await new Promise((resolve) => this.#server.once('listening', resolve));
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const near of this.#server.clients) near.terminate();
    this.#server.close();
  }

  #accept(near: WebSocket): void {
    const far = new WebSocket(`ws://127.0.0.1:${this.#options.port()}`, { perMessageDeflate: false });
    const opened = new Promise<void>((resolve) => far.once('open', () => resolve()));
    this.#join(near, far, opened);
    this.#join(far, near, opened);
  }

  /** Messages in flight are lost when an end closes. */
  #join(from: WebSocket, to: WebSocket, opened: Promise<void>): void {
    let way = opened;
    from.on('message', (data, isBinary) => {
      const fate = this.#fate(isBinary ? '' : data.toString());
      if (fate.copies === 0) return;
      way = way.then(() => delay(fate.delayMs)).then(() => send(to, data, isBinary, fate.copies));
    });
    from.on('error', () => {});
    from.on('close', () => to.terminate());
  }

  #fate(text: string): { readonly copies: number; readonly delayMs: number } {
    const { random, dropChance, repeatChance, delayChance, mostDelayMs, dropsForGood } = this.#options;
    const isDropped = dropsForGood?.(text) === true || (!this.isQuiet && random.chance(dropChance));
    if (isDropped) this.dropped += 1;
    if (isDropped || this.isQuiet) return { copies: isDropped ? 0 : 1, delayMs: 0 };
    const isRepeated = random.chance(repeatChance);
    const isDelayed = random.chance(delayChance);
    if (isRepeated) this.repeated += 1;
    if (isDelayed) this.delayed += 1;
    return { copies: isRepeated ? 2 : 1, delayMs: isDelayed ? 1 + random.below(mostDelayMs) : 0 };
  }
}

function delay(ms: number): Promise<void> | undefined {
  return ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms));
}

function send(to: WebSocket, data: RawData, isBinary: boolean, copies: number): void {
  for (let i = 0; i < copies && to.readyState === to.OPEN; i++) to.send(data, { binary: isBinary });
}
