// Who opens a session and follows it: what is printed counts as read.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine, Joined } from './command-line.ts';

let line: CommandLine;
let bob: Joined;
beforeAll(async () => {
  line = await CommandLine.open();
  const config = join(line.folder, 'hub.json');
  // Nothing that waits for the drain's time limit ends within a test.
  await writeFile(config, JSON.stringify({ limits: { drainTimeoutMs: 3_600_000 } }));
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
