// `parley up`: errors at start, and how it stops.

import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect, createHub } from 'parley-hub';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedScript } from '../support/shared-script.ts';
import { itDeep } from '../support/size.ts';
import { sharedFolder } from '../support/temp-folder.ts';
import { hasOpenssl, selfSigned } from './port/certificates.ts';
import { operatorToken, UpProcess } from './up-process.ts';
import { logOf } from './websocket/fuzz.ts';

const command = sharedScript('src/cli/main.ts');
const folder = sharedFolder();

function started(...args: readonly string[]): UpProcess {
  const up = new UpProcess(command, ...args);
  onTestFinished(async () => {
    up.kill('SIGKILL');
    await up.ended;
  });
  return up;
}

/** Ended by itself, with one sentence for people and no stack. */
async function refused(...args: readonly string[]): Promise<{ readonly code: number | null; readonly err: string }> {
  const { code, err, out } = await started(...args).ended;
  expect(out).toBe('');
  expect(err).toMatch(/^parley: /);
  expect(err).not.toMatch(/\n\s+at /);
  return { code, err };
}

describe('it does not start, and says what was expected, what came and what to do', () => {
  const data = (name: string): string[] => ['--data', join(folder.path, name)];

  it('[PO2] when the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { readonly port: number };
    const { code, err } = await refused('--port', String(port), ...data('taken'));
    taken.close();
    expect(code).toBe(7);
    expect(err).toContain(`port ${port} of 127.0.0.1 is in use by another program`);
    expect(err).toContain('choose another port (0 = any free port)');
  });

  itDeep('[PO2] when the options are wrong', async () => {
    const wrong = await Promise.all([
      refused('--port', 'x', ...data('a')),
      refused('--port', '70000', ...data('b')),
      refused('--prot', '1'),
      refused('--tls-cert', 'cert.pem', ...data('c')),
      refused('--tls-cert', join(folder.path, 'none.pem'), '--tls-key', 'none.pem', ...data('d')),
    ]);
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    const told = wrong.map(({ err }) => err);
    expect(told[0]).toContain('--port: expected a number from 0 to 65535, got "x"');
    expect(told[1]).toContain('port: expected a whole number from 0 to 65535, got 70000');
    expect(told[2]).toContain("Unknown option '--prot'");
    expect(told[3]).toContain(
      '--tls-key: required together with --tls-cert; expected the path of a PEM file, got none',
    );
    expect(told[4]).toContain('--tls-cert: expected the path of a readable PEM file, got "');
  });

  it('[PO2] when the address or the folder is not ours', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, 'x');
    const [host, notFolder] = await Promise.all([
      refused('--host', '203.0.113.7', '--port', '0', ...data('e')),
      refused('--data', file, '--port', '0'),
    ]);
    expect(host).toMatchObject({ code: 1, err: expect.stringContaining('this machine has no address 203.0.113.7') });
    expect(notFolder.code).toBe(2);
    expect(notFolder.err).toContain(file);
  });
});

itDeep('[PO2] a data folder that another hub has open is left alone', async () => {
  const data = join(folder.path, 'locked');
  const first = started('--data', data, '--port', '0');
  const url = await first.url();
  const { code, err } = await refused('--data', data, '--port', '0');
  expect(code).toBe(7);
  expect(err).toContain(data);
  expect(err).toMatch(/is in use by process \d+; stop that hub, or give this one its own folder/);
  const alice = await connect(url, { name: 'alice', token: await operatorToken(data), reconnect: false });
  expect((await alice.call('health', {})).ready).toBe(true);
  alice.close();
  expect((await stat(join(data, 'operator-token'))).mode & 0o777).toBe(0o600);
});

itDeep('[PO7, L1] told to end, it says goodbye, keeps all it has confirmed, and ends with 0', async () => {
  const data = join(folder.path, 'told');
  const up = started('--data', data, '--port', '0');
  const url = await up.url();
  const credentials = { token: await operatorToken(data), reconnect: false } as const;
  const heard: string[] = [];
  const bob = await connect(url, { name: 'bob', ...credentials, onMessage: ({ text }) => void heard.push(text) });
  const alice = await connect(url, { name: 'alice', ...credentials });
  const session = await alice.open('conversation', ['bob']);
  const confirmed: string[] = [];
  const sends = Array.from({ length: 400 }, async (_, n) => {
    await session.send(`${n}`);
    confirmed.push(`${n}`);
    // While requests are in progress.
    if (confirmed.length === 100) up.kill('SIGTERM');
  });
  await Promise.allSettled(sends);
  const ends = await Promise.all([alice.closed, bob.closed]);
  for (const end of ends) expect(end).toMatchObject({ by: 'hub', reason: 'shutdown' });
  const { code, out, err } = await up.ended;
  expect({ code, trouble: err.match(/"level":"(warn|error)"/) }).toEqual({ code: 0, trouble: null });
  expect(out).toMatch(/SIGTERM: saying goodbye.*\nstopped\n$/);
  expect(confirmed.length).toBeGreaterThanOrEqual(100);
  const after = await createHub({ data });
  const log = (await logOf(after, 'alice', session.id)).map((line) => JSON.parse(line));
  await after.stop();
  const texts = log.filter(({ event_type }) => event_type === 'msg.text').map(({ event_data }) => event_data.text);
  expect(texts).toEqual(Array.from(texts, (_, n) => `${n}`));
  expect(texts).toEqual(expect.arrayContaining(confirmed));
  // Nothing that is not durable was delivered.
  expect(texts.slice(0, heard.length)).toEqual(heard);
});

it.skipIf(!hasOpenssl)('[PO9] with a certificate and its key it speaks wss (needs the command openssl)', async () => {
  const certificate = await selfSigned();
  const data = join(folder.path, 'tls');
  const tls = ['--tls-cert', certificate.certFile, '--tls-key', certificate.keyFile];
  const up = started('--data', data, '--port', '0', ...tls);
  const url = await up.url();
  expect(url).toMatch(/^wss:/);
  const alice = await connect(url, { name: 'alice', token: await operatorToken(data), ca: certificate.cert });
  expect((await alice.call('health', {})).ready).toBe(true);
  alice.close();
  const swapped = ['--tls-cert', certificate.keyFile, '--tls-key', certificate.certFile];
  const { code, err } = await refused('--data', join(folder.path, 'swapped'), '--port', '0', ...swapped);
  expect(code).toBe(2);
  expect(err).toContain('tls: expected a certificate and its key');
  await certificate.remove();
});

describe('the console', () => {
  itDeep('[CN1] it says where it is, and serves it; with --no-console it does neither', async () => {
    const [on, off] = [
      started('--port', '0', '--data', join(folder.path, 'console')),
      started('--port', '0', '--data', join(folder.path, 'no-console'), '--no-console'),
    ];
    const [page, nothing] = await Promise.all(
      [on, off].map(async (up) => fetch((await up.url()).replace(/^ws/, 'http'), { headers: { accept: 'text/html' } })),
    );
    expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page?.headers.get('content-type')).toMatch(/^text\/(html|plain); charset=utf-8$/);
    expect([nothing?.status, nothing?.headers.get('content-type')]).toEqual([404, 'application/json']);
    for (const up of [on, off]) up.kill('SIGTERM');
    const address = (await on.url()).replace(/^ws/, 'http');
    expect((await on.ended).out).toContain(`  console         ${address}/ `);
    expect((await off.ended).out).not.toContain('console  ');
  });
});
