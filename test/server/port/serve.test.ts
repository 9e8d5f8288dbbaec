// A port: accepted and rejected connections, and how it closes.

import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import type { ServeOptions } from 'parley-hub';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openHub } from '../../support/started-hub.ts';

async function socketTo(url: string, options: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(url, options);
  const frames: string[] = [];
  heard.set(socket, frames);
  socket.on('message', (data) => frames.push(String(data)));
  await once(socket, 'open');
  return socket;
}

/** Unread bytes of each socket. */
const heard = new WeakMap<WebSocket, string[]>();

async function next(socket: WebSocket): Promise<Record<string, unknown>> {
  const frames = heard.get(socket) ?? [];
  if (frames.length === 0) await once(socket, 'message');
  return JSON.parse(frames.shift() ?? 'null');
}

function ask(socket: WebSocket, op: string, params: object): void {
  socket.send(JSON.stringify({ kind: 'request', request_id: op, op, params }));
}

/** Says hello, and registers the name that is not known yet. */
function greet(socket: WebSocket, name: string): void {
  socket.send(JSON.stringify({ kind: 'hello', protocol: 1, name, auth: { scheme: 'none' } }));
  ask(socket, 'register', { name });
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function get(port: number, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** The status a WebSocket upgrade is answered with. */
async function upgrade(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  return response.statusCode;
}

it('[PO1] a port speaks frames over WebSocket, and says over HTTP whether the hub is alive and ready', async () => {
  const { port } = await openHub();
  const socket = await socketTo(port.url);
  greet(socket, 'alice');
  expect(await next(socket)).toMatchObject({ kind: 'error', error: { code: 'unauthenticated' } });
  expect(await next(socket)).toMatchObject({ kind: 'welcome', name: 'alice' });
  expect(await get(port.port, '/healthz')).toEqual({ status: 200, body: '{"alive":true}\n' });
  expect(await get(port.port, '/readyz')).toEqual({ status: 200, body: '{"ready":true,"reason":null}\n' });
  expect(await get(port.port, '/other')).toMatchObject({ status: 404, body: expect.stringContaining('/healthz') });
  socket.close();
});

it('[OP8] a welcome over a port says how often it pings, and that the hub makes tokens', async () => {
  const { port } = await openHub({ limits: { pingMs: 7000 } });
  const socket = await socketTo(port.url);
  greet(socket, 'alice');
  await next(socket);
  expect(await next(socket)).toMatchObject({
    limits: { ping_ms: 7000, max_frame_bytes: 1_048_576 },
    features: ['deltas', 'observe', 'stream_starts', 'tokens'],
  });
  socket.close();
});

it('[PO2] a port that is taken, an address that is not ours and options that are wrong are refused in one sentence', async () => {
  const { hub, port } = await openHub();
  await expect(hub.listen({ port: port.port })).rejects.toMatchObject({
    code: 'cannot_listen',
    message: expect.stringMatching(/is in use by another program.*choose another port/),
  });
  await expect(hub.listen({ host: '203.0.113.7', port: 0 })).rejects.toThrow('this machine has no address 203.0.113.7');
  await expect(hub.listen({ port: 70_000 })).rejects.toThrow(
    'port: expected a whole number from 0 to 65535, got 70000',
  );
  await expect(hub.listen({ prot: 1 } as ServeOptions)).rejects.toThrow(
    'prot: unknown option; valid options: host, port',
  );
  await expect(hub.listen({ limits: { pings: 1 } } as ServeOptions)).rejects.toThrow('limits.pings: unknown limit');
  await expect(hub.listen({ limits: { pingMs: -1 } })).rejects.toThrow('limits.pingMs: expected a number over 0');
  await expect(hub.listen({ tls: { key: 1, cert: '' } } as unknown as ServeOptions)).rejects.toThrow(
    'tls.key: expected',
  );
});

it('[PO3] a Host or Origin that was not allowed is turned away, over WebSocket and HTTP alike', async () => {
  const { port } = await openHub({ origins: ['https://console.example'], hosts: ['hub.example'] });
  expect(await get(port.port, '/healthz', { host: 'evil.example' })).toMatchObject({
    status: 403,
    body: expect.stringContaining('Host: expected one of localhost'),
  });
  expect(await upgrade(port.url, { host: 'evil.example' })).toBe(403);
  expect(await upgrade(port.url, { origin: 'https://evil.example' })).toBe(403);
  expect(await upgrade(port.url, { origin: 'null' })).toBe(403);
  for (const headers of [
    { origin: `http://127.0.0.1:${port.port}` },
    { origin: 'https://console.example' },
    { host: `hub.example:${port.port}` },
    { host: 'HUB.example' },
  ]) {
    (await socketTo(port.url, { headers })).close();
  }
});

it('[PO4] a frame over the bound ends the connection with 1009, one that is not text with 1003; others go on', async () => {
  const { port } = await openHub();
  const [big, binary, good] = [await socketTo(port.url), await socketTo(port.url), await socketTo(port.url)];
  big.send('x'.repeat(1024 * 1024 + 1));
  expect((await once(big, 'close'))[0]).toBe(1009);
  binary.send(Buffer.from('{}'));
  expect((await once(binary, 'close'))[0]).toBe(1003);
  ask(good, 'health', {});
  expect(await next(good)).toMatchObject({ ok: true });
  good.close();
});

it('[PO5] cuts off a silent or slow client, and tells it why', async () => {
  const { port } = await openHub({ limits: { handshakeMs: 200 } });
  const silent = await socketTo(port.url);
  const drop: Socket = connectTcp(port.port, '127.0.0.1');
  drop.write('GET / HTTP/1.1\r\nHost: 127');
  drop.resume();
  const cut = once(drop, 'close');
  const [code, reason] = await once(silent, 'close');
  expect([code, String(reason)]).toEqual([1008, 'no identity was bound within 200 ms']);
  await cut;
});

it('[PO6] a peer that answers no ping is gone; one that does stays', async () => {
  const { hub, port } = await openHub({ limits: { pingMs: 40, silentMs: 200 } });
  const [dead, alive] = [await socketTo(port.url, { autoPong: false }), await socketTo(port.url)];
  greet(dead, 'dead');
  greet(alive, 'alive');
  const gone = new Promise<string>((resolve) => hub.on('agentUnbound', ({ name }) => resolve(name)));
  const [code] = await once(dead, 'close');
  expect(code).toBe(1006);
  expect(await gone).toBe('dead');
  expect(alive.readyState).toBe(WebSocket.OPEN);
  expect(hub.health().connections).toBe(1);
  alive.close();
});

it('[PO7] stopping says goodbye, lets what was sent leave, closes the port, and can be asked for twice', async () => {
  const { hub, port } = await openHub();
  const socket = await socketTo(port.url);
  greet(socket, 'alice');
  await next(socket);
  const frames: string[] = [];
  socket.on('message', (data) => frames.push(String(data)));
  const closed = once(socket, 'close');
  await Promise.all([hub.stop(), hub.stop()]);
  expect((await closed)[0]).toBe(1000);
  expect(frames.at(-1)).toBe('{"kind":"goodbye","reason":"shutdown"}');
  await expect(socketTo(port.url)).rejects.toThrow('ECONNREFUSED');
});

it('[PO8] bounds open connections and connections without a hello, and rejects one more with a code', async () => {
  const { port } = await openHub({ limits: { maxConnections: 2 } });
  const [one, two] = [await socketTo(port.url), await socketTo(port.url)];
  expect(await upgrade(port.url, {})).toBe(503);
  one.close();
  await once(one, 'close');
  const three = await socketTo(port.url);
  two.close();
  three.close();
});
