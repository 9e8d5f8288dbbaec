// The verifier against remote targets: the hub, and dishonest or broken servers.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Fixture } from '../../src/governed/conformance/fixture.ts';
import { readRemote, remoteUrl } from '../../src/governed/conformance/verifier/target.ts';
import { type Report, verify } from '../../src/governed/conformance/verifier/verify.ts';
import { HttpHub } from '../server/http/http-hub.ts';
import { CommandLine } from '../support/command-line.ts';
import { OWN_FIXTURES, own, ownOnDisk } from './corpora.ts';

const token = 'a-token-of-its-own';
const few = [...own, ...ownOnDisk].filter((_, at) => at % 40 === 0);
const CLAIMS = { implementation: 'probe', tiers: [1, 2, 3], adapter: { protocol: 'http-fixture-v1' } };

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Answering = (fixture: Fixture, response: ServerResponse, request: IncomingMessage) => void;

/** A target with valid capabilities and arbitrary answers. */
function answering(answer: Answering, claims: object = CLAIMS): Promise<string> {
  return served(async (request, response) => {
    if (request.url?.endsWith('/conform/capabilities')) return void json(response, claims);
    let text = '';
    for await (const part of request) text += part;
    answer(JSON.parse(text) as Fixture, response, request);
  });
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function check(
  url: string,
  fixtures: readonly Fixture[],
  timeoutMs = 10_000,
  shown: string | null = token,
): Promise<Report> {
  const target = await readRemote(url, shown, 10_000);
  if (target.kind !== 'remote') throw new Error(target.message);
  const corpus = { root: 'here', fixtures, sha256: 'x', problems: [] };
  return verify(target, corpus, { tier: 3, surface: null, timeoutMs, atOnce: 1 });
}

it('[GX5] the hub is as expected over HTTP, and the report names its URL', async () => {
  const hub = await HttpHub.open({ conformance: { token } });
  const url = hub.url.replace('ws', 'http');
  expect(await check(url, few)).toMatchObject({
    implementation: 'parley-hub',
    target_root: null,
    remote: url,
    is_conformant: true,
    counts: { fixtures: few.length, as_expected: few.length },
    findings: [],
  });
}, 60_000);

it('[GX5] withholds the expectation, and sends the token only to its target', async () => {
  const seen: unknown[] = [];
  const url = await answering(({ expected }, response, { headers }) => {
    seen.push([expected, headers.authorization, headers['content-type']]);
    json(response, { status: 'not_implemented' });
  });
  await check(url, few.slice(0, 1));
  await check(url, few.slice(0, 1), 10_000, null);
  const withheld = { result: '__withheld__' };
  expect(seen).toEqual([
    [withheld, `Bearer ${token}`, 'application/json'],
    [withheld, undefined, 'application/json'],
  ]);
});

describe('[GX5] exposes', () => {
  const huge = Buffer.alloc(1024 * 1024, 'x');
  const cases: readonly (readonly [string, Answering, string, string | RegExp])[] = [
    ['says pass to everything', (_, r) => json(r, { status: 'pass', actual: {} }), 'lied', /says "pass"/],
    ['echoes the expectation', ({ expected }, r) => json(r, { status: 'pass', actual: expected }), 'lied', /pass/],
    ['says fail to everything', (_, r) => json(r, { status: 'fail', actual: {} }), 'different', /at \$/],
    ['implements nothing', (_, r) => json(r, { status: 'not_implemented' }), 'not_implemented', ''],
    ['fails', (_, r) => json(r, { message: 'out of oil' }, 500), 'error', 'HTTP 500: out of oil'],
    ['fails without a message', (_, r) => void r.writeHead(502).end('<html>'), 'error', 'HTTP 502'],
    ['answers no JSON', (_, r) => void r.end('PASS'), 'error', 'the body is not one JSON object'],
    ['says nothing', (_, r) => void r.end(), 'error', 'the body is not one JSON object'],
    ['answers a list', (_, r) => json(r, [{ status: 'pass' }]), 'error', 'the body is not one JSON object'],
    ['answers an unknown status', (_, r) => json(r, { status: 'ok' }), 'error', /status: expected one of pass/],
    ['answers with another success', (_, r) => json(r, { status: 'pass' }, 201), 'error', 'HTTP 201'],
    ['never stops answering', (_, r) => flood(r, huge), 'error', /the body has more than 8388608 bytes/],
    ['hangs up', (_, r) => void r.destroy(), 'error', /fetch failed/],
    ['breaks off its answer', (_, r) => breakOff(r), 'error', /terminated|aborted|closed/],
  ];
  it.each(cases)('a server that %s', async (_, answer, outcome, detail) => {
    const report = await check(await answering(answer), few.slice(0, 1));
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 1, as_expected: 0, [outcome]: 1 } });
    if (detail !== '') expect(report.findings[0]?.detail).toMatch(detail);
  });

  it.each<readonly [string, Answering]>([
    ['never answers', () => {}],
    ['begins to answer and never ends', (_, response) => void response.writeHead(200).write('{"status":')],
    ['answers drop by drop', (_, response) => drip(response)],
  ])('a server that %s', async (_, answer) => {
    const report = await check(await answering(answer), few.slice(0, 1), 300);
    expect(report).toMatchObject({
      is_conformant: false,
      counts: { timed_out: 1 },
      findings: [{ detail: 'no whole answer within 300 ms' }],
    });
  });

  it('a redirect, which is not followed and does not get the token', async () => {
    let visits = 0;
    const elsewhere = await served((_, response) => {
      visits += 1;
      json(response, { status: 'fail', actual: few[0]?.expected });
    });
    const url = await answering((_, response) => void response.writeHead(307, { location: elsewhere }).end());
    const report = await check(url, few.slice(0, 1));
    expect(report).toMatchObject({ is_conformant: false, findings: [{ outcome: 'error', detail: 'HTTP 307' }] });
    const moved = await served((_, response) => void response.writeHead(302, { location: elsewhere }).end());
    expect(await readRemote(moved, token, 10_000)).toMatchObject({ why: 'wrong', message: 'HTTP 302' });
    expect(visits).toBe(0);
  });

  it('a server that does not claim the tier', async () => {
    const url = await answering((_, response) => json(response, { status: 'pass' }), { ...CLAIMS, tiers: [3] });
    const report = await check(url, own.filter(({ tier }) => tier === 1).slice(0, 2));
    expect(report).toMatchObject({ is_conformant: false, counts: { fixtures: 2, skipped: 2 } });
  });

  it('still asks for the rest after one failure', async () => {
    let asked = 0;
    const url = await answering((_, response) => {
      asked += 1;
      if (asked === 1) response.destroy();
      else json(response, { status: 'not_implemented' });
    });
    expect(await check(url, few.slice(0, 3))).toMatchObject({ counts: { error: 1, not_implemented: 2 } });
  });
});

describe('[GX5] a target that', () => {
  it.each([
    ['requires a token', 401, { message: 'who?' }, 'not_allowed', 'HTTP 401: who?'],
    ['forbids access', 403, { message: 'no' }, 'not_allowed', 'HTTP 403: no'],
    ['lacks the path', 404, {}, 'wrong', 'HTTP 404'],
    ['is for processes', 200, { ...CLAIMS, adapter: { protocol: 'stdio-fixture-v1' } }, 'wrong', /http-fixture-v1/],
    ['claims no tier', 200, { ...CLAIMS, tiers: [] }, 'wrong', /tiers: expected/],
    ['has no name', 200, { ...CLAIMS, implementation: ' ' }, 'wrong', /implementation/],
    ['says a list', 200, [], 'wrong', 'expected an object'],
  ])('%s is not asked', async (_, status, body, why, message) => {
    const url = await served((_request, response) => json(response, body, status));
    const unusable = { kind: 'unusable', why, message: expect.stringMatching(message) };
    expect(await readRemote(url, null, 10_000)).toEqual(unusable);
  });

  it('is absent or silent is not waited for', async () => {
    const hanging = await served(() => {});
    expect(await readRemote(hanging, null, 200)).toMatchObject({
      why: 'unreachable',
      message: expect.stringContaining('within 200 ms'),
    });
    const gone = await served(() => {});
    const server = servers.pop();
    await new Promise((closed) => server?.close(closed));
    expect(await readRemote(gone, null, 10_000)).toMatchObject({
      why: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

it('[GX5] a target URL keeps its path, loses its trailing slash and may not contain secrets', () => {
  expect(remoteUrl('http://a.example:80/')).toBe('http://a.example');
  expect(remoteUrl('https://a.example/base/x//')).toBe('https://a.example/base/x');
  const wrong = ['a.example', 'ftp://a.example', 'http://u:p@a.example', 'http://a.example/?q', 'http://a/#x', ''];
  for (const url of wrong) expect(remoteUrl(url)).toBeNull();
});

describe('parley conformance check --remote', () => {
  let line: CommandLine;
  beforeAll(async () => {
    line = await CommandLine.open();
  }, 120_000);
  afterAll(() => line.close());

  const fixtures = ['--fixtures', `${OWN_FIXTURES}/1/history`];

  it('[GX5, CM4] reports invalid options and targets', async () => {
    const url = await answering((_, response) => json(response, { status: 'pass' }));
    const all: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['--remote', url, '--target', '.'], 2, /--target and --remote exclude each other/],
      [['--token', token], 2, /--token: expected --remote with it/],
      [['--remote', 'nowhere'], 2, /--remote: expected a URL/],
      [['--remote', 'http://u:secret@127.0.0.1'], 2, /--remote: expected a URL/],
      [['--remote', url, '--token', 'a b'], 2, /--token: expected visible ASCII characters without spaces/],
      [['--remote', 'http://127.0.0.1:9'], 3, /conform\/capabilities: .*(ECONNREFUSED|bad port)/],
      [['--remote', await served((_, r) => json(r, { message: 'no' }, 401))], 4, /HTTP 401: no/],
      [['--remote', await served((_, r) => json(r, {}))], 2, /implementation: expected a name/],
    ];
    for (const [args, code, message] of all) {
      const { code: ended, err } = await line.here(['conformance', 'check', ...args, ...fixtures]);
      expect([args, ended, err]).toEqual([args, code, expect.stringMatching(message)]);
      expect(err).not.toMatch(/secret|a-token/);
    }
  });

  it('[GX5] takes the token from the environment, and exits with 8 for a liar', async () => {
    const hub = await HttpHub.open({ conformance: { token } });
    const remote = ['conformance', 'check', '--remote', hub.url.replace('ws', 'http'), ...fixtures];
    expect(await line.here(remote)).toMatchObject({ code: 4, err: expect.stringContaining('HTTP 401') });
    const env = { PARLEY_CONFORMANCE_TOKEN: token };
    expect(await line.here(remote, env)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/(\d+) of \1 as expected/),
    });
    expect((await line.here([...remote, '--token', 'another-one'], env)).code).toBe(4);
    const liar = await answering((_, response) => json(response, { status: 'pass', actual: {} }));
    const found = await line.here(['conformance', 'check', '--remote', liar, ...fixtures], env);
    expect(found).toMatchObject({
      code: 8,
      out: expect.stringMatching(/probe, up to tier 1: 0 of \d+ as expected, \d+ lied/),
    });
  });

  it('[GX6] refuses an unclaimed surface; nothing asked is not conformant', async () => {
    const claims = { ...CLAIMS, tiers: [1], surfaces: { history: false, coordinator: true } };
    const url = await answering((_, response) => json(response, { status: 'not_implemented' }), claims);
    const ask = (...args: readonly string[]) =>
      line.here(['conformance', 'check', '--remote', url, '--fixtures', OWN_FIXTURES, ...args]);
    const unclaimed = await ask('--surface', 'history');
    expect(unclaimed).toMatchObject({ code: 2, err: expect.stringContaining('probe does not claim history') });
    expect(await ask('--surface', 'event_lifecycle')).toMatchObject({ code: 2 });
    const nothing = await ask('--tier', '1', '--surface', 'coordinator');
    expect(nothing).toMatchObject({ code: 8, out: expect.stringContaining('0 of 0 as expected') });
    const skipped = await ask('--tier', '3', '--surface', 'coordinator');
    expect(skipped).toMatchObject({ code: 8, out: expect.stringMatching(/0 of (\d+) as expected, \1 skipped/) });
  });
});

function flood(response: ServerResponse, chunk: Buffer): void {
  response.writeHead(200);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' }).write('{"status":');
  setImmediate(() => response.destroy());
}

function drip(response: ServerResponse): void {
  response.writeHead(200);
  const drop = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(drop));
}
