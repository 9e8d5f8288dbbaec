// The parts of a port that real sockets of this machine cannot show: other addresses, other names, other failures.

import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/ports/platform.ts';
import type { Health } from '../../../src/core/protocol/operations/console-hub.ts';
import { createAuthentication } from '../../../src/server/auth/authenticate.ts';
import { hostRefusal, isForwarded, isLoopback } from '../../../src/server/auth/hosts.ts';
import { answerHttp, type SiteHub, type Visitor } from '../../../src/server/http-site.ts';
import { Addresses } from '../../../src/server/port/addresses.ts';
import { listen } from '../../../src/server/port/listen.ts';

describe('addresses', () => {
  const limits = { maxConnections: 5, maxConnectionsPerAddress: 2, maxPending: 4, maxFailedHellosPerMinute: 3 };
  const [far, other] = ['203.0.113.9', '203.0.113.10'];

  it('[PO8] one address has so many connections at once; others and the loopback are not held to it', () => {
    const addresses = new Addresses(limits, () => 0);
    for (let n = 0; n < 2; n++) {
      expect(addresses.refusal(far)).toBe(null);
      addresses.opened(far);
    }
    expect(addresses.refusal(far)).toContain('at most 2 connections may come from one address');
    expect(addresses.refusal(other)).toBe(null);
    for (let n = 0; n < 2; n++) addresses.opened('127.0.0.1');
    for (let n = 0; n < 4; n++) addresses.settled();
    expect(addresses.refusal('::ffff:127.0.0.1')).toBe(null);
    addresses.closed(far);
    expect(addresses.refusal(far)).toBe(null);
  });

  it('[PO8] hellos that failed are counted for a minute from the first, by address', () => {
    let now = 0;
    const addresses = new Addresses(limits, () => now);
    const fail = (at: number, address = far): boolean => {
      now = at;
      return addresses.helloFailed(address);
    };
    expect([fail(0), fail(30_000), fail(59_999)]).toEqual([false, false, true]);
    expect(addresses.refusal(far)).toContain('too many hellos failed');
    expect([addresses.refusal(other), addresses.refusal('127.0.0.1')]).toEqual([null, null]);
    now = 60_000;
    expect(addresses.refusal(far)).toBe(null);
    expect([fail(60_000), fail(60_001), fail(60_002)]).toEqual([false, false, true]);
    expect(Array.from({ length: 9 }, () => fail(60_003, '::1'))).not.toContain(true);
  });
});

describe('hosts', () => {
  it('[PO3] a request that names no host, or no proper one, is turned away', () => {
    const rules = { hosts: [], origins: [] };
    const refusal = (host: string | undefined) => hostRefusal({ headers: { host } }, '127.0.0.1', rules);
    for (const host of [undefined, '', ':80', 'localhost:x', 'localhost.evil.example', '[::2]']) {
      expect(refusal(host)).toContain('Host: expected one of');
    }
    for (const host of ['localhost', 'LOCALHOST:4747', '127.0.0.1:1', '[::1]:4747']) expect(refusal(host)).toBe(null);
  });

  it('[AU7, PO8] the loopback is what only this machine can be', () => {
    for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', 'localhost']) {
      expect([address, isLoopback(address)]).toEqual([address, true]);
    }
    for (const address of ['', '0.0.0.0', '::', '128.0.0.1', '127.0.0.1.evil.example', '::ffff:10.0.0.1', '1.2.3.4']) {
      expect([address, isLoopback(address)]).toEqual([address, false]);
    }
  });

  it('[AU7] every header of a proxy counts', () => {
    const told = (name: string) => isForwarded({ headers: { [name]: 'x' } as object });
    expect(['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'].map(told)).not.toContain(false);
    expect(['host', 'x-forward'].map(told)).not.toContain(true);
  });
});

it('[AU7] a port takes the schemes that were asked for, and no other', async () => {
  const judged = { id: 'token:x', name: 'x', grants: [], expires_at_ms: null };
  const judges = { token: () => judged };
  const [tokens, none] = await Promise.all([
    createAuthentication({}, '127.0.0.1', judges),
    createAuthentication({ tokens: false, none: true }, '127.0.0.1', judges),
  ]);
  expect(tokens(false)({ scheme: 'token', token: 'x' })).toBe(judged);
  for (const scheme of ['none', 'jwt', 'other', 7]) expect(tokens(false)({ scheme } as never)).toBe(null);
  expect(none(false)({ scheme: 'token', token: 'x' })).toBe(null);
  expect(none(false)({ scheme: 'none' })).toMatchObject({ name: null, grants: ['enrol'] });
  expect(none(true)({ scheme: 'none' })).toBe(null);
});

it('[PO2] why a port cannot be opened is said in a sentence, whatever it is', async () => {
  const failing = (code: string): Server =>
    Object.assign(new EventEmitter(), {
      listen(this: EventEmitter) {
        this.emit('error', Object.assign(new Error('of some kind'), { code }));
      },
    }) as unknown as Server;
  const said = (code: string) =>
    listen(failing(code), { host: '127.0.0.1', port: 80 }).catch((thrown: Error) => thrown.message);
  expect(await said('EACCES')).toContain('requires more permissions; choose a port of 1024 or above');
  expect(await said('ENOTFOUND')).toContain('this machine has no address');
  expect(await said('EOTHER')).toBe('port 80 of 127.0.0.1 cannot be opened: of some kind');
});

it('[PO1, EV4] a hub that takes no posts is not ready, and says why', async () => {
  const told: unknown[] = [];
  const response = {
    on() {},
    writeHead: (status: number) => told.push(status),
    end: (body: string) => told.push(body),
  };
  const health = () => ({ ready: false, reason: 'the disk failed' }) as Health;
  const request = { url: '/readyz?x', method: 'GET', headers: {} } as IncomingMessage;
  const hub = { health, log: silentLog } as unknown as SiteHub;
  const visitor = { forbidden: null } as unknown as Visitor;
  await answerHttp(hub, visitor, request, response as unknown as ServerResponse);
  expect(told).toEqual([503, '{"ready":false,"reason":"the disk failed"}\n']);
});
