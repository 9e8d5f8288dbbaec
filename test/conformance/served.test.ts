// Conformance fixtures over HTTP: opt-in, token required, nothing left behind.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub } from 'parley-hub';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { executeAnyFixture } from '../../src/governed/conformance/adapter/execute.ts';
import type { Fixture } from '../../src/governed/conformance/fixture.ts';
import { SURFACES, WaitingLine } from '../../src/server/conformance/site.ts';
import { read } from '../package/repository.ts';
import { eventually, isRunning } from '../participants/processes/programs.ts';
import { type Answer, type Asking, HttpHub } from '../server/http/http-hub.ts';
import { sharedFolder } from '../support/temp-folder.ts';
import { own, ownOnDisk } from './corpora.ts';

const token = 'a-token-of-its-own';
const folder = sharedFolder('served');

let hub: HttpHub;
beforeAll(async () => {
  hub = await HttpHub.keep({ conformance: { token } });
});
afterAll(() => hub.close());

const JSON_TYPE = { 'content-type': 'application/json' };

function execute(fixture: unknown, asking: Asking = { token }, at: HttpHub = hub): Promise<Answer> {
  const body = typeof fixture === 'string' ? fixture : JSON.stringify(fixture);
  return at.send('POST', '/conform/execute', body, { ...asking, headers: { ...JSON_TYPE, ...asking.headers } });
}

const [pure] = own as readonly [Fixture, ...Fixture[]];

/** Its hook writes its own and its child's pid, and never ends. */
function hanging(name: string, timeout_ms = 30_000): { readonly fixture: Fixture; pids(): readonly number[] } {
  const note = join(folder.path, name);
  const script = `trap '' TERM; sleep 600 & echo $$ $! > ${note}.new; mv ${note}.new ${note}; wait`;
  const hook = { name: 'hang', type: 'process', command: ['sh', '-c', script], timeout_ms, mode: 'blocking' };
  const fixture = {
    ...pure,
    tier: 2,
    surface: 'hook_audit',
    setup: { state: { run_id: 'run_1', status: 'active' }, config: { roles: {}, hooks: { before_gate: [hook] } } },
    input: { operation: 'run_hooks', args: { phase: 'before_gate', payload: {} } },
  };
  return {
    fixture,
    pids: () => (existsSync(note) ? readFileSync(note, 'utf8').trim().split(' ').map(Number) : []),
  };
}

const begun = (pids: () => readonly number[]): Promise<readonly number[]> =>
  eventually(pids, (all) => all.length === 2);
const over = (pids: readonly number[]): Promise<unknown> =>
  eventually(
    () => pids.filter(isRunning),
    (left) => left.length === 0,
  );
const folders = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('parley-fixture-'));

describe('[GX1] a port', () => {
  it('serves nothing under /conform/ by default', async () => {
    const plain = await HttpHub.open();
    for (const [method, path] of [
      ['GET', '/conform/capabilities'],
      ['POST', '/conform/execute'],
    ] as const) {
      const { status, body } = await plain.send(method, path, null, { token });
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    }
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.org'])('on %s is refused with it', async (host) => {
    const made = await createHub();
    const opened = made.listen({ host, port: 0, conformance: { token } });
    await expect(opened).rejects.toThrow(
      `conformance: fixtures run commands and require a loopback host; host is "${host}"`,
    );
    await made.stop();
  });

  it.each([
    [
      'a short token',
      { token: 'short' },
      'conformance.token: expected 8 to 512 visible ASCII characters without spaces',
    ],
    ['a token with spaces', { token: 'one two three' }, 'conformance.token: expected'],
    ['no token', {}, 'conformance.token: expected'],
    ['no time', { token, timeoutMs: 0 }, 'conformance.timeoutMs: expected a whole number over 0'],
    ['half a slot', { token, maxAtOnce: 0.5 }, 'conformance.maxAtOnce: expected'],
    ['an unknown option', { token, public: true }, 'conformance.public: unknown option'],
  ])('is refused with %s', async (_, conformance, message) => {
    const made = await createHub();
    await expect(made.listen({ port: 0, conformance: conformance as { token: string } })).rejects.toThrow(message);
    await made.stop();
  });

  it('refuses a token of the hub without showing it', async () => {
    const made = await createHub();
    const { token: hubs } = await made.createToken({ grants: ['operate'] });
    const refused = await made
      .listen({ port: 0, conformance: { token: hubs } })
      .catch((thrown: Error) => thrown.message);
    expect(refused).toBe('conformance.token: expected a separate token, got a token of the hub');
    await made.stop();
  });
});

describe('[GX2] it answers', () => {
  const message = { message: expect.any(String) };

  it('401 without its token, even with an all-powerful token of the hub', async () => {
    const { token: operator } = await hub.hub.createToken({ grants: ['operate', 'observe', 'enrol', 'rules'] });
    for (const shown of [undefined, 'a-token-of-its-owm', `${token}x`, operator]) {
      const asking = shown === undefined ? {} : { token: shown };
      const capabilities = await hub.send('GET', '/conform/capabilities', null, asking);
      expect([capabilities.status, capabilities.body]).toEqual([401, message]);
      expect(capabilities.headers['www-authenticate']).toBe('Bearer');
    }
    expect((await execute(pure, {})).status).toBe(401);
    const basic = await execute(pure, { headers: { authorization: `Basic ${token}` } });
    expect([basic.status, basic.body]).toEqual([401, message]);
  });

  it.each([
    ['404 to another path', 'GET', '/conform/other', null, 404],
    ['404 to a path below', 'GET', '/conform/capabilities/', null, 404],
    ['405 to another method', 'POST', '/conform/capabilities', '{}', 405],
    ['405 to GET where POST is required', 'GET', '/conform/execute', null, 405],
    ['405 to OPTIONS', 'OPTIONS', '/conform/execute', null, 405],
    ['400 to invalid JSON', 'POST', '/conform/execute', '{"a":', 400],
    ['400 to an empty body', 'POST', '/conform/execute', '', 400],
    ['400 to deep nesting', 'POST', '/conform/execute', '['.repeat(100) + ']'.repeat(100), 400],
    ['413 to more than a mebibyte', 'POST', '/conform/execute', JSON.stringify('x'.repeat(1024 * 1024)), 413],
  ])('%s', async (_, method, path, body, status) => {
    const answer = await hub.send(method, path, body, { token, headers: JSON_TYPE });
    expect([answer.status, answer.body]).toEqual([status, message]);
    expect(answer.text).not.toContain(token);
  });

  it('415 to a form, which any page could send', async () => {
    const { status, body } = await hub.send('POST', '/conform/execute', '{}', {
      token,
      headers: { 'content-type': 'text/plain' },
    });
    expect([status, body]).toEqual([415, message]);
  });

  it.each([
    ['another host', { host: 'evil.example' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a client behind a proxy', { 'x-forwarded-for': '192.0.2.1' }],
  ])('403 to %s', async (_, headers) => {
    const { status, body, headers: said } = await execute(pure, { token, headers });
    expect([status, body]).toEqual([403, message]);
    expect(said['access-control-allow-origin']).toBeUndefined();
  });

  it('200 to an allowed origin, without permission to read the answer', async () => {
    const open = await HttpHub.open({ conformance: { token }, origins: ['https://app.example'] });
    const { status, headers } = await execute(pure, { token, headers: { origin: 'https://app.example' } }, open);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });
});

describe('[GX3] it', () => {
  it('reports the capabilities of the folder, except for the protocol', async () => {
    const { adapter: _, ...claims } = JSON.parse(read('.agentxchain-conformance/capabilities.json'));
    const { status, body } = await hub.send('GET', '/conform/capabilities', null, { token });
    expect(status).toBe(200);
    expect(body).toEqual({ ...claims, adapter: { protocol: 'http-fixture-v1' } });
    expect(Object.keys(claims.surfaces)).toEqual(SURFACES);
  });

  it('answers like the adapter, whatever is expected', async () => {
    const some = [
      ...own.filter((_, at) => at % 40 === 0),
      ...ownOnDisk.filter((one) => /^P-DM-0/.test(one.fixture_id)),
    ];
    for (const one of some) {
      for (const fixture of [one, { ...one, expected: { result: '__withheld__' } }]) {
        const { status, body } = await execute(fixture, { token, headers: { connection: 'close' } });
        expect([status, body]).toEqual([200, await executeAnyFixture(fixture)]);
      }
    }
    expect(some.length).toBeGreaterThan(10);
  });

  it.each([
    ['an invalid fixture', '[]', 'error'],
    ['an unknown operation', { ...pure, input: { operation: 'fly', args: {} } }, 'not_implemented'],
    ['an unknown setup member', { ...pure, setup: { moon: 'full' } }, 'error'],
    [
      'a path out of its folder',
      { ...ownOnDisk[0], setup: { ...ownOnDisk[0]?.setup, filesystem: { '../escaped': 'x' } } },
      'error',
    ],
    ['an unexpected outcome', { ...pure, expected: { result: 'nothing' } }, 'fail'],
  ])('answers 200 and its status to %s', async (_, fixture, wanted) => {
    const { status, body } = await execute(fixture);
    expect([status, body.status]).toEqual([200, wanted]);
  });

  it('limits concurrency, queues some requests and rejects the rest', async () => {
    const narrow = await HttpHub.open({ conformance: { token, maxAtOnce: 1 } });
    const { fixture, pids } = hanging('first');
    const first = call(narrow, fixture);
    const running = await begun(pids);
    const others = Array.from({ length: 18 }, () => call(narrow, pure));
    const statuses: (number | string)[] = [];
    for (const { answered } of others) void answered.then((status) => statuses.push(status));
    await eventually(
      () => [...statuses],
      (all) => all.length === 2,
    );
    expect(statuses).toEqual([503, 503]);
    first.hangUp();
    await over(running);
    const all = await Promise.all(others.map(({ answered }) => answered));
    expect(all.filter((status) => status === 200)).toHaveLength(16);
    expect((await execute(pure, { token }, narrow)).status).toBe(200);
  }, 30_000);
});

it('[GX3] an aborted waiter is never admitted', async () => {
  const rooms = new WaitingLine(1);
  const stays = new AbortController();
  const leaves = new AbortController();
  const leave = await rooms.enter(stays.signal);
  const gone = rooms.enter(leaves.signal);
  const next = rooms.enter(stays.signal);
  leaves.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  await expect(rooms.enter(leaves.signal)).rejects.toThrow('gone');
  leave();
  (await next)();
  (await rooms.enter(stays.signal))();
});

describe('[GX4] a hanging fixture is ended with all its processes', () => {
  const before = folders();
  afterEach(async () => {
    await eventually(
      () => folders().filter((name) => !before.includes(name)),
      (left) => left.length === 0,
    );
  });

  it('when it times out, with an error', async () => {
    const hasty = await HttpHub.open({ conformance: { token, timeoutMs: 700 } });
    const { fixture, pids } = hanging('late');
    const { status, body } = await execute(fixture, { token }, hasty);
    expect([status, body]).toEqual([
      500,
      { message: 'the fixture did not finish within 700 ms; its processes were ended' },
    ]);
    expect(pids().filter(isRunning)).toEqual([]);
  }, 30_000);

  it('when the client disconnects', async () => {
    const { fixture, pids } = hanging('gone');
    const asked = call(hub, fixture);
    const running = await begun(pids);
    asked.hangUp();
    await over(running);
    expect((await execute(pure)).status).toBe(200);
  }, 30_000);

  it('when the port closes', async () => {
    const closing = await HttpHub.keep({ conformance: { token } });
    const { fixture, pids } = hanging('closing');
    const asked = call(closing, fixture);
    const running = await begun(pids);
    await Promise.all([closing.hub.stop(), over(running)]);
    expect([503, 'hung up']).toContain(await asked.answered);
    await closing.close();
  }, 30_000);
});

/** A request that can be aborted; resolves with its status. */
function call({ port }: HttpHub, fixture: unknown): { readonly answered: Promise<number | string>; hangUp(): void } {
  const asked = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/conform/execute',
    agent: false,
    headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
  });
  const answered = new Promise<number | string>((resolve) => {
    asked.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    asked.on('error', () => resolve('hung up'));
  });
  asked.end(JSON.stringify(fixture));
  return { answered, hangUp: () => void asked.destroy() };
}
