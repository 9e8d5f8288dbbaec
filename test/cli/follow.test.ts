// `--follow` acks what it prints.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine, Joined } from '../support/command-line.ts';
import { itDeep } from '../support/size.ts';

let line: CommandLine;
let bob: Joined;
beforeAll(async () => {
  line = await CommandLine.open();
  const config = join(line.folder, 'hub.json');
  // Nothing that waits for the drain's time limit ends within a test.
  await writeFile(config, JSON.stringify({ hub: { limits: { drainTimeoutMs: 3_600_000 } } }));
  await line.startHub('--config', config);
  const script = join(line.folder, 'answers.json');
  await writeFile(script, '["Yes."]');
  bob = new Joined(line.spawn(['join', '--name', 'bob', '--script', script, '--json']));
  await bob.says('"joined"');
});
afterAll(async () => {
  bob.child.kill('SIGKILL');
  await bob.ended;
  await line.close();
});

it('[CM6] what --follow prints is read, so that the session ends with its last message', async () => {
  const lines = await line.json('open', 'consulting', '--to', 'bob', '--follow', 'Is it ready?');
  const types = lines.flatMap(({ envelope }) => (envelope as { event_type: string } | undefined)?.event_type ?? []);
  expect(types.slice(-3)).toEqual(['msg.text', 'session.closing', 'session.closed']);
  expect(await line.json('inbox')).toEqual([]);
});

itDeep('[CM8] describes a failed turn in show and with --follow', async () => {
  const failing = ['join', '--name', 'e7', '--command', `'${process.execPath}' -e 'process.exit(7)'`, '--json'];
  const e7 = new Joined(line.spawn(failing));
  await e7.says('"joined"');
  const follow = new Joined(line.spawn(['open', 'consulting', '--to', 'e7', '--follow', 'Is it ready?']));
  await follow.says(/e7 could not answer: .*exitCode=7/);
  follow.child.kill('SIGINT');
  await follow.ended;
  const { out } = await line.here(['show', 'last']);
  expect(out).toMatch(/ e7 +e7 could not answer: .*exitCode=7/);
  expect(out).not.toContain('since_seq');
  e7.child.kill('SIGINT');
  expect(await e7.ended).toBe(0);
});
