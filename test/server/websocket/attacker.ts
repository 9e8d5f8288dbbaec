/** A process that attacks a hub as instructed, until told to stop, and then reports the results. */

import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { WebSocket } from 'ws';

export interface Attack {
  readonly kind: keyof typeof ATTACKS;
  readonly url: string;
}
export type Counts = Record<string, number>;

type Attacking = (url: string, count: (what: string) => void, isOver: () => boolean) => Promise<void>;

/** So much may wait to be sent: a flood, and not one of this process's memory. */
const UNSENT = 256 * 1024;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const hello = (name: string): string => JSON.stringify({ kind: 'hello', protocol: 1, name, auth: { scheme: 'none' } });
const request = (op: string, params: object): string => JSON.stringify({ kind: 'request', request_id: op, op, params });

/** null = it was not let in. */
async function opened(url: string): Promise<WebSocket | null> {
  const socket = new WebSocket(url);
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open').catch(() => {}), closed(socket)]);
  return socket.readyState === WebSocket.OPEN ? socket : null;
}

/** With its code, if it has one. `once` would give up at the first error. */
function closed(socket: { once(event: 'close', listener: (code: unknown) => void): unknown }): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

async function until(socket: WebSocket, isOver: () => boolean, act: () => void): Promise<void> {
  while (!isOver() && socket.readyState === WebSocket.OPEN) {
    if (socket.bufferedAmount < UNSENT) act();
    await turn();
  }
  socket.terminate();
}

const ATTACKS = {
  /** Asks without waiting for answers. */
  async requests(url, count, isOver) {
    const socket = await opened(url);
    if (socket === null) return count('refused');
    socket.on('message', (data) => count(/"code":"(\w+)"/.exec(String(data))?.[1] ?? 'answered'));
    for (const text of [hello('flooder'), request('register', { name: 'flooder' })]) socket.send(text);
    await until(socket, isOver, () => {
      for (let n = 0; n < 200; n++) socket.send(request('list_sessions', {}));
    });
  },

  /** Sends what is no frame, is sent away, and comes again. */
  async malformed(url, count, isOver) {
    while (!isOver()) {
      const socket = await opened(url);
      if (socket === null) continue;
      socket.on('message', (data) => count(/"reason":"(\w+)"/.exec(String(data))?.[1] ?? 'answered'));
      await until(socket, isOver, () => socket.send('{"kind":"nonsense"'));
    }
  },

  /** Sends what is too large. */
  async oversize(url, count, isOver) {
    const text = 'x'.repeat(1024 * 1024 + 1);
    while (!isOver()) {
      const socket = await opened(url);
      if (socket === null) continue;
      const ended = closed(socket);
      socket.send(text);
      count(`closed ${await ended}`);
    }
  },

  /** A hundred at a time begin a request and go on drop by drop. */
  async drops(url, count, isOver) {
    const { hostname, port } = new URL(url);
    const one = async (): Promise<void> => {
      const socket = connectTcp(Number(port), hostname);
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('error', () => {});
      socket.resume();
      socket.write('GET / HTTP/1.1\r\nx-long: ');
      await Promise.race([closed(socket).then(() => isOver() || count('cut off')), over(isOver)]);
      clearInterval(drip);
      socket.destroy();
    };
    const again = async (): Promise<void> => {
      while (!isOver()) await one();
    };
    await Promise.all(Array.from({ length: 100 }, again));
  },

  /** Three thousand connect, and none says who it is. */
  async connects(url, count, isOver) {
    const sockets: (WebSocket | null)[] = [];
    for (let n = 0; n < 3_000 && !isOver(); n += 100) {
      const some = await Promise.all(Array.from({ length: 100 }, () => opened(url)));
      for (const socket of some) count(socket === null ? 'refused' : 'let in');
      sockets.push(...some);
    }
    count('all tried');
    await over(isOver);
    for (const socket of sockets) socket?.terminate();
  },

  /** Two clients take one name from each other as fast as they can, and ignore requests to stop. */
  async takeovers(url, count, isOver) {
    const fight = async (): Promise<void> => {
      while (!isOver()) {
        const socket = await opened(url);
        if (socket === null) continue;
        const replaced = new Promise<void>((resolve) =>
          socket.on('message', (data) => {
            if (!String(data).includes('"replaced"')) return;
            count('replaced');
            resolve();
          }),
        );
        socket.send(hello('prize'));
        await Promise.race([replaced, over(isOver)]);
        socket.terminate();
      }
    };
    await Promise.all([fight(), fight()]);
  },
} satisfies Record<string, Attacking>;

async function over(isOver: () => boolean): Promise<void> {
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 10));
}

let isOver = false;
process.on('message', (told: Attack | 'stop') => {
  if (told === 'stop') {
    isOver = true;
    return;
  }
  isOver = false;
  const counts: Counts = {};
  const count = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
    // Reports the observed counts.
    if (counts[what] === 1) process.send?.({ seen: what });
  };
  void ATTACKS[told.kind](told.url, count, () => isOver).then(() => process.send?.({ counts }));
});
process.send?.({ seen: 'ready' });
