// HTTP sockets: how many an address may hold, for how long, and answers to malformed input.

import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect } from 'parley-hub';
import { describe, expect, it } from 'vitest';
import { InFlight } from '../../../src/server/http/in-flight.ts';
import { maxSocketsPerAddress } from '../../../src/server/port/raw-sockets.ts';
import { HttpHub, memberOf } from './http-hub.ts';
import { RawHttp, requestText } from './raw-http.ts';

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address;

describe('one address', () => {
  it.skipIf(outside === undefined)(
    '[PO12] holds so many sockets that are no WebSockets, whatever they say',
    async () => {
      const limits = { maxConnectionsPerAddress: 3 };
      const http = await HttpHub.open({ host: '0.0.0.0', hosts: [outside ?? ''], limits });
      const { token } = await http.hub.createToken({ name: 'alice' });
      const idle = await Promise.all([1, 2, 3].map(() => RawHttp.to(http.port, outside)));
      const fourth = await RawHttp.to(http.port, outside);
      expect(await fourth.closed()).toBe('');
      // From elsewhere, and from this machine, there is room.
      expect((await http.get('/health')).status).toBe(200);
      // One that has asked and stays is one of them still.
      for (const raw of idle) await raw.write(requestText('GET /healthz')).until('"alive"');
      expect(await (await RawHttp.to(http.port, outside)).closed()).toBe('');
      // One that goes makes room, and a WebSocket does not take it.
      idle[0]?.socket.destroy();
      const url = `ws://${outside}:${http.port}`;
      const alice = await until(() => connect(url, { name: 'alice', token }).catch(() => null));
      const again = await RawHttp.to(http.port, outside);
      await again.write(requestText('GET /healthz')).until('"alive"');
      for (const raw of [...idle, again]) raw.socket.destroy();
      alice.close();
    },
  );

  it('[PO12] never holds more than half of all, and the loopback as many as there are', async () => {
    expect(maxSocketsPerAddress(10_256, 256)).toBe(256);
    expect(maxSocketsPerAddress(100, 256)).toBe(50);
    const http = await HttpHub.open({ limits: { maxConnectionsPerAddress: 1 } });
    const many = await Promise.all(Array.from({ length: 20 }, () => RawHttp.to(http.port)));
    for (const raw of many) await raw.write(requestText('GET /healthz')).until('"alive"');
    for (const raw of many) raw.socket.destroy();
  });
});

async function until<T>(work: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await work();
    if (found !== null) return found;
  }
}

describe('a socket', () => {
  it('[PO5] answers a request that arrives too slowly with a code, in headers and in the body', async () => {
    const http = await HttpHub.open({ limits: { handshakeMs: 200 } });
    const token = await http.member('alice');
    const [headers, body] = [await RawHttp.to(http.port), await RawHttp.to(http.port)];
    headers.write('GET / HTTP/1.1\r\nHost: loc');
    const type = 'Content-Type: application/json';
    body.write(requestText('POST /api/v1/health', [type, 'Content-Length: 9', `Authorization: Bearer ${token}`], '{'));
    for (const raw of [headers, body]) {
      expect(await raw.closed()).toContain('"code":"timeout"');
      expect(raw.statuses).toEqual([408]);
    }
  });

  it('[HT11] that says what is no HTTP, or too much of it, is answered with a code and closed', async () => {
    const http = await HttpHub.open();
    const said = async (text: string) => {
      const raw = await RawHttp.to(http.port);
      const heard = await raw.write(text).closed();
      return [raw.statuses, /"code":"(\w+)"/.exec(heard)?.[1]];
    };
    expect(await said('\x16\x03\x01\x02\x00\x01')).toEqual([[400], 'bad_frame']);
    expect(await said('GET /healthz HTTP/9.9\r\n\r\n')).toEqual([[400], 'bad_frame']);
    expect(await said(requestText('GET /healthz', [`X: ${'y'.repeat(20_000)}`]))).toEqual([[431], 'too_large']);
    expect(await said(requestText(`GET /${'y'.repeat(20_000)}`))).toEqual([[431], 'too_large']);
    expect(await said(requestText('POST /api/v1/health', ['Content-Length: 1', 'Transfer-Encoding: chunked']))).toEqual(
      [[400], 'bad_frame'],
    );
  });

  it('[PO12] cuts off a peer that does not read its answer', async () => {
    const open = new InFlight(() => {}, 50);
    const server = createServer((request, response) => {
      open.begin(request, response);
      response.end('x'.repeat(64 * 1024 * 1024));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const cut = new Promise<void>((resolve) => {
      server.on('connection', (socket: Socket) => socket.once('close', () => resolve()));
    });
    const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(requestText('GET /'));
    await cut;
    socket.destroy();
    server.close();
  });
});

describe('while the port closes', () => {
  it('[PO7] answers requests that have arrived before it closes', async () => {
    const http = await HttpHub.open();
    const raws = await Promise.all(Array.from({ length: 100 }, () => RawHttp.to(http.port)));
    // Accepted or not, read or not: all of it was sent.
    for (const raw of raws) raw.write(requestText('GET /readyz'));
    await new Promise((resolve) => raws[99]?.socket.write('', resolve));
    const stopped = http.hub.stop();
    for (const raw of raws) await raw.closed();
    await stopped;
    expect(raws.map(({ statuses }) => statuses.length)).toEqual(Array(100).fill(1));
  });

  it('[PO7] a request under way is answered, and its connection ends with it', async () => {
    const { http, token } = await memberOf('alice');
    await http.member('bob');
    const raw = await RawHttp.to(http.port);
    const body = JSON.stringify({ type: 'conversation', participants: ['bob'] });
    const head = ['Content-Type: application/json', `Content-Length: ${body.length}`, `Authorization: Bearer ${token}`];
    raw.write(requestText('POST /api/v1/sessions', head, body));
    while ((await http.get('/sessions', { token })).body.sessions.length === 0);
    const stopped = http.hub.stop();
    const heard = await raw.closed();
    await stopped;
    expect(raw.statuses).toEqual([503]);
    expect(heard).toMatch(/connection: close/i);
  });
});
