// Several addresses of one hub: the next is tried when one is unreachable, even at the first connect.

import { createServer } from 'node:net';
import { connect, connectHuman, createHub } from 'parley-hub';
import { afterEach, expect, it } from 'vitest';
import { FailoverSocket, type Socket, type SocketEvents } from '../../../src/client/connection/socket-link.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function dead(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `ws://127.0.0.1:${port}`;
}

async function alive(): Promise<string> {
  const hub = await createHub();
  stops.push(() => hub.stop());
  return (await hub.listen({ port: 0, auth: { none: true } })).url;
}

it('[CB11] tries the next address silently when the first does not answer', async () => {
  const states: string[] = [];
  const urls = [await dead(), await dead(), await alive()];
  const alice = await connect(urls, { name: 'alice', onState: (state) => void states.push(state) });
  const bob = await connectHuman(urls, { name: 'bob' });
  expect([alice.state, bob.state, states]).toEqual(['open', 'open', []]);
  alice.close();
  bob.close();
});

it('[CB11] rejects with unavailable and every address with its reason when all fail', async () => {
  const [one, other] = [await dead(), await dead()];
  const reason = (url: string): string => `${url} cannot be reached: connect ECONNREFUSED ${url.slice('ws://'.length)}`;
  await expect(connect([one, other], { name: 'alice' })).rejects.toMatchObject({
    code: 'unavailable',
    message: `${reason(one)}; ${reason(other)}`,
    details: { outcome: 'refused' },
  });
});

it('[CB11] reports the rejection of a hub it reached, whatever was tried before', async () => {
  const urls = [await dead(), await alive()];
  await expect(connect(urls, { name: 'alice', token: 'wrong' })).rejects.toMatchObject({ code: 'unauthenticated' });
});

class FakeSocket implements Socket {
  readonly calls: string[] = [];
  private readonly listeners: { type: string; listener: (event: never) => void }[] = [];

  send(text: string): void {
    this.calls.push(text);
  }

  close(): void {
    this.calls.push('close');
  }

  addEventListener<Type extends keyof SocketEvents>(type: Type, listener: (event: SocketEvents[Type]) => void): void {
    this.listeners.push({ type, listener });
  }

  tell(type: keyof SocketEvents, event: object = {}): void {
    for (const one of this.listeners) if (one.type === type) one.listener(event as never);
  }
}

it('[CB11] stops trying when closed; treats a throwing platform as a failed address', () => {
  const sockets: FakeSocket[] = [];
  const failures: object[] = [];
  const openOne = (url: string): Socket => {
    if (url === 'a') throw new Error('not allowed');
    sockets.push(new FakeSocket());
    return sockets.at(-1) as Socket;
  };
  const socket = new FailoverSocket(['a', 'b', 'c'], openOne, (failed) => void failures.push(failed));
  const told: string[] = [];
  socket.addEventListener('close', () => void told.push('close'));
  sockets[0]?.tell('error', { message: '', error: { code: 'ECONNREFUSED' } });
  socket.close();
  sockets[0]?.tell('close');
  expect([sockets.length, sockets[0]?.calls, told]).toEqual([1, ['close'], ['close']]);
  expect(failures).toEqual([
    { url: 'a', why: 'not allowed' },
    { url: 'b', why: 'ECONNREFUSED' },
  ]);
  expect(() => new FailoverSocket(['a'], openOne, () => {})).toThrow('not allowed');
});
