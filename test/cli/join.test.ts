// `parley join --human` in a real pseudo-terminal: what a person sees and types.

import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentClient, connect } from 'parley-hub/client';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { required, root } from '../package/repository.ts';
import { CommandLine, Joined } from '../support/command-line.ts';

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
const skips = !hasPty && !required('pty');
const why = hasPty ? '' : ' (skipped: the command "script" of util-linux is missing)';

let line: CommandLine;
let alice: AgentClient;
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  const token = (await readFile(join(line.data, 'operator-token'), 'utf8')).trim();
  alice = await connect(line.url, { name: 'alice', token, reconnect: false });
});
afterAll(async () => {
  alice.close();
  await line.close();
});

const open: Joined[] = [];
afterEach(async () => {
  for (const person of open.splice(0)) {
    person.child.kill('SIGKILL');
    await person.ended;
  }
});

/** `script` gives it a terminal and passes on what is typed. */
function person(name: string, env: NodeJS.ProcessEnv = {}): Joined {
  const words = [process.execPath, line.command.path, 'join', '--name', name, '--human'].map((word) => `'${word}'`);
  const child = spawn('script', ['-qefc', `stty cols 100; ${words.join(' ')}`, '/dev/null'], {
    cwd: root,
    env: { ...line.env, TERM: 'xterm-256color', ...env },
  });
  const joined = new Joined(child);
  open.push(joined);
  return joined;
}

it.skipIf(skips)(
  `[CM7] shows invites, messages, whose turn it is and the time left, and sends typed text${why}`,
  async () => {
    const bob = person('bob');
    await bob.says('you are bob');
    await bob.says('bob · no session');
    const turnWithin = { name: 'turn_within', on_violation: 'audit', params: { seconds: 3600 } } as const;
    const session = await alice.open('consulting', { participants: ['bob'], expectations: [turnWithin] });
    await bob.says('alice invites you to a consulting session, as respondent; you accept');
    await bob.says(/alice's turn, \d+ [mh] left/);
    const { envelope_id } = await session.send('Does the export work?');
    await bob.says('Does the export work?');
    await bob.says(new RegExp(`bob · consulting ${session.id.slice(-6)} · your turn, 59 m left`));
    bob.type('It does.\r');
    const answer = await session.waitFor('msg.text');
    expect(answer).toMatchObject({ event_data: { text: 'It does.' } });
    expect(envelope_id).toMatch(/^[0-9a-f]{32}$/);
    await bob.says('it is over: consulting_complete');
    bob.type('/quit\r');
    expect(await bob.ended).toBe(0);
    expect(bob.out).toContain('\u001b[32m');
  },
);

it.skipIf(skips)(
  `[CM7] shows what others are writing before they say it, above what is being typed${why}`,
  async () => {
    const carol = person('carol');
    await carol.says('you are carol');
    const session = await alice.open('conversation', ['carol']);
    await carol.says('anyone may speak');
    const cause = 'c'.repeat(32);
    carol.child.stdin.write('half a sen');
    await carol.says('half a sen');
    await session.delta('It is al', { causationId: cause });
    await carol.says('alice is writing: It is al');
    await session.delta('most done', { causationId: cause });
    await carol.says('alice is writing: It is almost done');
    await session.send('It is almost done.', { causationId: cause });
    await carol.says('It is almost done.');
    carol.child.stdin.write('tence\r');
    expect(await session.waitFor('msg.text')).toMatchObject({ event_data: { text: 'half a sentence' } });
    await session.close();
    carol.child.stdin.write('\u0004');
    expect(await carol.ended).toBe(0);
  },
);

it.skipIf(skips)(
  `[CM7, CM12] explains a rejection, keeps text from moving the cursor, and obeys NO_COLOR${why}`,
  async () => {
    const dora = person('dora', { NO_COLOR: '1' });
    await dora.says('you are dora');
    dora.type('hello?\r');
    await dora.says('you are in no session');
    dora.type('/wo\r');
    await dora.says('did you mean /who?');
    const session = await alice.open('consulting', ['dora']);
    await dora.says("alice's turn");
    dora.type('Me first!\r');
    await dora.says(/✗ .*expects 'alice'/);
    await session.send('Is it \u001b[2Jgone?');
    await dora.says('Is it \ufffd[2Jgone?');
    dora.type('/close enough\r');
    expect(await session.ended()).toEqual({ state: 'CLOSED', reason: 'enough' });
    dora.child.stdin.write('\u0003');
    expect(await dora.ended).toBe(0);
    expect(dora.out.split('\u001b[').filter((after) => /^\d*m/.test(after))).toEqual([]);
  },
);

it('[CM7] without a terminal it reads lines and writes lines', async () => {
  const erik = new Joined(line.spawn(['join', '--name', 'erik', '--human']));
  await erik.says('you are erik');
  const session = await alice.open('consulting', ['erik']);
  await erik.says("▸ alice's turn");
  await session.send('Well?');
  await erik.says('▸ your turn');
  erik.type('Well.');
  expect(await session.waitFor('msg.text')).toMatchObject({ event_data: { text: 'Well.' } });
  expect(await erik.end()).toBe(0);
  expect(erik.out).not.toContain('\u001b');
});
