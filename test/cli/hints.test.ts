// Hints fit what happened, and never repeat foreign text as ours.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasOpenssl, selfSigned } from '../server/port/certificates.ts';
import { UpProcess } from '../server/up-process.ts';
import { CommandLine, linesOf } from '../support/command-line.ts';
import { itDeep } from '../support/size.ts';

let line: CommandLine;
let session_id: string;
let asked_id: string;
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  const bob = line.join('bob');
  await bob.says('"joined"');
  const [opened] = await line.json('open', 'conversation', '--to', 'bob', 'hello');
  session_id = (opened as { session: { session_id: string } }).session.session_id;
  await line.json('close', session_id, '--reason', 'enough for today');
  await bob.says('session.closed');
  const [asked] = await line.json('open', 'consulting', '--to', 'bob', 'does it work?');
  asked_id = (asked as { session: { session_id: string } }).session.session_id;
  await bob.end();
  await line.json('close', asked_id, '--wait');
});
afterAll(() => line.close());

it('[CM3] "open" rejects an invalid session before it announces a wait', async () => {
  const { code, err } = await line.here(['open', 'nonsense', '--to', 'bob']);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^parley: .*nonsense/) });
});

it('[CM3] a token that there is none of is looked for among the tokens', async () => {
  const { code, err } = await line.here(['token', 'revoke', 'a'.repeat(16)]);
  expect({ code, err }).toEqual({ code: 5, err: expect.stringMatching(/no token.*\n"parley token list"/) });
});

it('[CM4] an error is one line and its hint another, whatever is in it', async () => {
  const { code, err } = await line.here(['show', 'x\nRun "rm -rf /" to mend it']);
  expect(code).toBe(2);
  expect(err.split('\n')).toEqual([expect.stringContaining('rm -rf'), expect.stringContaining('parley sessions'), '']);
});

it('[CM3] a file that is there is not written over, and that is said', async () => {
  const out = join(line.folder, 'mine');
  await writeFile(out, 'mine');
  const { code, err } = await line.here(['export', session_id, '--out', out]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/--out: expected a file that does not exist/) });
});

it('[CM2] the table of sessions has whose turn it is and how it ended apart', async () => {
  const { out } = await line.here(['sessions']);
  const [heads = '', ...rows] = out.split('\n');
  expect(heads.trimEnd()).toMatch(/created +turn +ended$/);
  const row = rows.find((one) => one.startsWith(session_id));
  expect(row?.indexOf('enough for today')).toBe(heads.indexOf('ended'));
});

it('[CM8] shows pending actions of a past seq as of then, without relative times', async () => {
  const { out } = await line.here(['show', asked_id, '--at', '5']);
  expect(out).toMatch(/awaited then: bob to speak(, due 2\S+Z)?\n/);
  expect(out).not.toMatch(/ ago|until/);
  expect((await line.here(['show', asked_id, '--at', '4'])).out).toMatch(/awaited then: alice to speak/);
});

it.skipIf(!hasOpenssl)('[CM3, PO9] explains how to trust an unknown certificate', async () => {
  const { certFile, keyFile, remove } = await selfSigned();
  const data = join(line.folder, 'tls');
  const up = new UpProcess(line.command, '--data', data, '--port', '0', '--tls-cert', certFile, '--tls-key', keyFile);
  try {
    const there = ['--url', await up.url(), '--data', data];
    expect(await line.here(['sessions', ...there])).toMatchObject({
      code: 3,
      err: expect.stringMatching(/\n.*--ca/),
    });
    expect(await line.here(['sessions', ...there, '--ca', certFile])).toMatchObject({ code: 0, err: '' });
  } finally {
    up.kill('SIGTERM');
    await up.ended;
    await remove();
  }
});

itDeep('[CM10] a hub on every address says one that can be called; its log tells who came and what began', async () => {
  const data = join(line.folder, 'open');
  const up = new UpProcess(line.command, '--data', data, '--port', '0', '--host', '0.0.0.0');
  const url = await up.url();
  try {
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    await line.here(['inbox', '--as', 'dora', '--url', url, '--data', data]);
    await line.here(['open', 'consulting', '--to', 'dora', '--no-wait', '--url', url, '--data', data]);
  } finally {
    up.kill('SIGTERM');
  }
  const { err, out } = await up.ended;
  expect(out).toContain('all other addresses of this machine');
  const told = linesOf(err);
  expect(told.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining(['registered', 'connected', 'session created', 'disconnected']),
  );
  expect(told.find(({ msg }) => msg === 'session created')).toMatchObject({
    type: 'consulting',
    participants: ['alice', 'dora'],
  });
});
