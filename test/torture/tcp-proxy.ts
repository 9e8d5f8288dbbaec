/** A proxy that cuts connections inside a frame: some bytes go through, then both ends are reset. */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '../../src/testing/lib/random.ts';

export interface TcpProxyOptions {
  /** Where the hub is now. */
  readonly port: () => number;
  readonly random: Random;
  /** The probability that a chunk is the last one. */
  readonly cutChance: number;
}

export class TcpProxy {
  cuts = 0;
  cutsInMidFrame = 0;
  /** Forwards bytes unchanged. */
  isQuiet = false;
  readonly #options: TcpProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: TcpProxyOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All connections. */
  cutAll(): number {
    const { size } = this.#sockets;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    return size / 2;
  }

  close(): void {
    this.cutAll();
    this.#server.close();
  }

  #accept(near: Socket): void {
    const far = connect({ port: this.#options.port(), host: '127.0.0.1' });
    this.#join(near, far);
    this.#join(far, near);
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay();
    from.on('data', (bytes) => this.#pass(bytes, from, to));
    from.on('drain', () => to.resume());
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  #pass(bytes: Buffer, from: Socket, to: Socket): void {
    const { random, cutChance } = this.#options;
    if (this.isQuiet || !random.chance(cutChance)) {
      if (!to.write(bytes)) from.pause();
      return;
    }
    const kept = random.below(bytes.length);
    this.cuts += 1;
    if (kept > 0) this.cutsInMidFrame += 1;
    to.write(bytes.subarray(0, kept), () => {
      from.resetAndDestroy();
      to.destroy();
    });
  }
}
