// `parley up --conformance` as a process: where its token is stored and who can read it.

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { operatorToken, UpProcess } from '../server/up-process.ts';
import { CommandLine } from '../support/command-line.ts';
import { OWN_FIXTURES } from './corpora.ts';

let line: CommandLine;
let running: UpProcess | null = null;
beforeAll(async () => {
  line = await CommandLine.open();
}, 120_000);
afterEach(async () => {
  running?.kill('SIGTERM');
  await running?.ended;
  running = null;
});
afterAll(() => line.close());

const check = ['conformance', 'check', '--fixtures', `${OWN_FIXTURES}/1/history`];

async function up(...args: readonly string[]): Promise<{ readonly url: string; stop(): Promise<string> }> {
  const process = new UpProcess(line.command, '--data', line.data, '--port', '0', ...args);
  running = process;
  const url = await process.url();
  return {
    url: url.replace('ws', 'http'),
    async stop() {
      process.kill('SIGTERM');
      const { out, err } = await process.ended;
      return `${out}${err}`;
    },
  };
}

it('[GX1] creates a private token file, prints its path but not the token, and keeps it', async () => {
  const hub = await up('--conformance');
  const file = join(line.data, 'conformance-token');
  const token = (await readFile(file, 'utf8')).trim();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(token).not.toBe(await operatorToken(line.data));
  const remote = [...check, '--remote', hub.url];
  expect(await line.here(remote, { PARLEY_CONFORMANCE_TOKEN: token })).toMatchObject({ code: 0 });
  expect(await line.here([...remote, '--token', await operatorToken(line.data)])).toMatchObject({ code: 4 });
  const said = await hub.stop();
  expect(said).toContain(file);
  expect(said).toContain('runs the commands of fixtures');
  expect(said).not.toContain(token);
  await (await up('--conformance')).stop();
  expect((await readFile(file, 'utf8')).trim()).toBe(token);
  // Replaces an invalid token, so that its writer does not know the new one.
  await writeFile(file, 'known-to-somebody\n', { mode: 0o644 });
  await (await up('--conformance')).stop();
  expect(await readFile(file, 'utf8')).toMatch(/^conform_[\w-]{43}\n$/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
}, 60_000);

it('[GX1] accepts a given token, and serves nothing without the option', async () => {
  const given = await up('--conformance', '--conformance-token', 'given-by-somebody');
  const remote = [...check, '--remote', given.url];
  expect(await line.here([...remote, '--token', 'given-by-somebody'])).toMatchObject({ code: 0 });
  expect(await given.stop()).not.toContain('given-by-somebody');
  const plain = await up();
  expect((await fetch(`${plain.url}/conform/capabilities`)).status).toBe(404);
  expect(await plain.stop()).not.toContain('conform/');
}, 60_000);

it('[GX1] refuses a non-loopback host and leaves nothing behind', async () => {
  const data = join(line.folder, 'never');
  const asked = ['up', '--data', data, '--port', '0', '--conformance'];
  const refused = await line.run([...asked, '--host', '0.0.0.0']);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('loopback host; host is "0.0.0.0"') });
  const short = await line.run([...asked, '--conformance-token', 'short']);
  expect(short).toMatchObject({ code: 2, err: expect.stringContaining('conformance.token: expected 8 to 512') });
  await expect(stat(data)).rejects.toThrow('ENOENT');
}, 60_000);
