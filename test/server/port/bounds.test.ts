// Bounds on what an unauthenticated peer can make a port hold or keep open.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { fetchKeys, MAX_KEY_BYTES } from '../../../src/server/auth/fetch-keys.ts';
import { maxSockets } from '../../../src/server/port/raw-sockets.ts';
import { Pongs } from '../../../src/server/websocket/ws-endpoint.ts';
import { openFiles } from '../../../src/system/process.ts';
import { itDeep } from '../../support/size.ts';
import { openHub } from '../../support/started-hub.ts';

async function opened(url: string): Promise<{ socket: WebSocket; tcp: Socket }> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return { socket, tcp: (socket as unknown as { readonly _socket: Socket })._socket };
}

describe('pings', () => {
  it('[BP8] are answered, each once', async () => {
    const { socket } = await opened((await openHub()).url);
    const pongs: string[] = [];
    socket.on('pong', (data) => pongs.push(String(data)));
    socket.ping('one');
    await once(socket, 'pong');
    socket.ping('two');
    await once(socket, 'pong');
    // All earlier answers arrive before its answer.
    socket.send('{"kind":"ping"}');
    await once(socket, 'message');
    expect(pongs).toEqual(['one', 'two']);
    socket.terminate();
  });

  it('[BP8] that come while an answer has not left get one answer, to the latest', () => {
    const sent: string[] = [];
    let left = (): void => {};
    const pong = (data: Buffer, _mask: boolean, done: () => void): void => {
      sent.push(String(data));
      left = done;
    };
    const socket = { readyState: 1, OPEN: 1, pong } as unknown as WebSocket;
    const pongs = new Pongs(socket);
    for (let n = 0; n < 1000; n++) pongs.asked(Buffer.from(String(n)));
    expect(sent).toEqual(['0']);
    left();
    left();
    expect(sent).toEqual(['0', '999']);
    pongs.asked(Buffer.from('later'));
    expect(sent).toEqual(['0', '999', 'later']);
  });

  itDeep(
    '[BP8, BP6] of one that does not read are not kept: most of what it could have been answered was never written',
    async () => {
      const { socket, tcp } = await opened((await openHub()).url);
      // More than the buffers of the system can hold, both ways.
      const [count, at_once] = [300_000, 10_000];
      let pongs = 0;
      socket.on('pong', () => {
        pongs += 1;
      });
      tcp.pause();
      const data = Buffer.alloc(125);
      for (let n = 0; n < count; n += at_once) {
        for (let i = 0; i < at_once; i++) socket.ping(data);
        while (socket.bufferedAmount > 1024 * 1024) await new Promise((resolve) => setImmediate(resolve));
      }
      while (socket.bufferedAmount > 0) await new Promise((resolve) => setImmediate(resolve));
      tcp.resume();
      // Answers the latest ping, and continues with later frames.
      socket.send('{"kind":"ping"}');
      await once(socket, 'message');
      expect(pongs).toBeGreaterThan(0);
      expect(pongs).toBeLessThan(count / 2);
      socket.terminate();
    },
    30_000,
  );
});

it('[BP8] a frame in very many pieces ends its connection', async () => {
  const { socket } = await opened((await openHub()).url);
  socket.on('error', () => {});
  for (let n = 0; n < 300; n++) socket.send('', { fin: false });
  expect((await once(socket, 'close'))[0]).toBe(1008);
});

describe('sockets', () => {
  it('[PO10] that say nothing are bounded like those that do: one too many is closed as it comes', async () => {
    const { port } = await openHub({ limits: { maxConnections: 1 } });
    const sockets = Array.from({ length: 270 }, () => connectTcp(port.port, '127.0.0.1').resume());
    let closed = 0;
    const enough = new Promise<void>((resolve) => {
      for (const socket of sockets) {
        socket.on('error', () => {});
        // 257 may stay.
        socket.on('close', () => ++closed === 13 && resolve());
      }
    });
    await enough;
    const answered = new Promise((resolve) => sockets[0]?.once('data', resolve));
    sockets[0]?.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(String(await answered)).toContain('200 OK');
    for (const socket of sockets) socket.destroy();
  });

  it('[PO10] are no more than leave files for the journal; where that is less than asked for the log warns', () => {
    const warnings: unknown[] = [];
    const log = { info() {}, error() {}, warn: (text: string, details?: unknown) => warnings.push([text, details]) };
    expect(maxSockets(1000, log, { open: 30, limit: 100_000 })).toBe(1256);
    expect(maxSockets(1000, log, null)).toBe(1256);
    expect(warnings).toEqual([]);
    expect(maxSockets(1000, log, { open: 36, limit: 400 })).toBe(300);
    expect(maxSockets(1000, log, { open: 36, limit: 40 })).toBe(8);
    expect(warnings[0]).toMatchObject([
      expect.stringContaining('ulimit -n'),
      { max_connections: 1000, open_files: 400, sockets: 300 },
    ]);
  });

  it.skipIf(process.platform !== 'linux')('[PO10] the system tells how many files may be open', () => {
    const files = openFiles();
    expect(files?.open).toBeGreaterThan(2);
    expect(files?.limit).toBeGreaterThan(files?.open ?? 0);
    expect(openFiles('/no/such/folder')).toBe(null);
  });

  it('[PO11] closes the sockets of a rejected peer that does not hang up', async () => {
    const { port } = await openHub();
    const socket = connectTcp({ port: port.port, host: '127.0.0.1', allowHalfOpen: true });
    let heard = '';
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    socket.write(['GET / HTTP/1.1', 'Host: evil.example', ...upgrade, key, '', ''].join('\r\n'));
    await once(socket, 'end');
    expect(heard).toContain('403 Forbidden');
    // A socket that is closed at the other end says so when it is written to.
    const write = setInterval(() => socket.write('x'), 20);
    await closed.catch(() => {});
    clearInterval(write);
  });
});

describe('the keys of an issuer', () => {
  const folder = async (respond: Parameters<typeof createServer>[1]) => {
    const server = createServer(respond);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const stop = (): void => {
      server.close();
      server.closeAllConnections();
    };
    return { url, stop };
  };

  it('[AU15] are read to the bound and no further', async () => {
    let isLeft = (): void => {};
    const left = new Promise<void>((resolve) => {
      isLeft = resolve;
    });
    const { url, stop } = await folder((_, response) => {
      const more = (): void => void response.write('x'.repeat(64 * 1024), () => response.destroyed || more());
      response.on('close', isLeft);
      more();
    });
    await expect(fetchKeys(url, {})).rejects.toThrow(`exceed ${MAX_KEY_BYTES} bytes`);
    await left;
    stop();
  });

  it('[AU15] come as they are, and a refusal as a refusal', async () => {
    const { url, stop } = await folder((request, response) => {
      response.statusCode = request.headers.accept === 'x' ? 500 : 200;
      response.end('{"keys":[]}');
    });
    expect(await (await fetchKeys(url, {})).json()).toEqual({ keys: [] });
    expect((await fetchKeys(url, { headers: { accept: 'x' } })).status).toBe(500);
    stop();
  });
});
