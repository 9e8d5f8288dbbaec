// For whom a command speaks, and that it takes nobody's place without saying so.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CommandLine, Joined } from '../support/command-line.ts';

let line: CommandLine;
let bob: Joined;
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  bob = line.join('bob');
  await bob.says('"joined"');
});
afterAll(() => line.close());

it('[CM6] send and join leave a connected name alone without --take-over', async () => {
  const [opened] = await line.json('open', 'conversation', '--to', 'bob', 'hello');
  const { session_id } = (opened as { session: { session_id: string } }).session;
  const refused = await line.here(['send', session_id, 'hi', '--as', 'bob']);
  expect(refused).toMatchObject({
    code: 7,
    out: '',
    err: expect.stringMatching(/bob is connected elsewhere.*\n.*--take-over/),
  });
  expect(await line.here(['join', '--name', 'bob'])).toMatchObject({ code: 7 });
  bob.type('still here');
  await bob.says('"sent"');
  await line.json('send', session_id, 'hi', '--as', 'bob', '--take-over');
  expect(await bob.ended).toBe(7);
  expect(bob.err).toContain('bob connected elsewhere');
});

it('[CM6] commands that run at the same time do not send each other away, nor are they in the list of agents', async () => {
  const tail = new Joined(line.spawn(['tail', '--json']));
  await new Promise<void>((resolve) => tail.child.stderr.on('data', () => tail.err.includes('watching') && resolve()));
  const found = await Promise.all(Array.from({ length: 4 }, () => line.json('agents')));
  for (const agents of found) expect(agents.map(({ name }) => name)).toEqual(['alice', 'bob']);
  tail.child.kill('SIGINT');
  expect(await tail.ended).toBe(0);
});

it('[CM5] a token for one name knows that name by itself, whether it looks or speaks', async () => {
  const [opened] = await line.json('open', 'conversation', '--to', 'bob', '--no-wait', '--as', 'alice');
  const { session_id } = (opened as { session: { session_id: string } }).session;
  const [made] = await line.json('token', 'create', '--grant', 'observe', '--name', 'watch');
  const own = { PARLEY_TOKEN: String(made?.token), PARLEY_NAME: '' };
  for (const words of ['sessions', 'agents', 'search hello', `show ${session_id}`, `export ${session_id}`, 'doctor']) {
    const ended = await line.here([...words.split(' '), '--json'], own);
    expect({ words, ...ended }).toEqual({ words, code: 0, out: expect.any(String), err: '' });
  }
  // A read-only command ignores the configured name.
  expect(await line.here(['sessions'], { ...own, PARLEY_NAME: 'somebody' })).toMatchObject({ code: 0, err: '' });
  expect(await line.here(['inbox'], own)).toEqual({ code: 0, out: 'nothing waits for watch\n', err: '' });
  expect(await line.here(['show', session_id, '--as', 'alice', '--json'], own)).toMatchObject({ code: 0, err: '' });
  // The error names the missing grant.
  expect(await line.here(['token', 'list'], own)).toMatchObject({ code: 4, err: expect.stringMatching(/grant/) });
  expect(await line.here(['redact', session_id, '1'], own)).toMatchObject({
    code: 5,
    err: expect.stringMatching(/the grant operate/),
  });
});

it('[CM5, CM6] a token for one name speaks for no other, and sends nobody away', async () => {
  const [made] = await line.json('token', 'create', '--name', 'dora', '--grant', 'observe');
  const own = { PARLEY_TOKEN: String(made?.token), PARLEY_NAME: '' };
  expect(await line.here(['inbox', '--as', 'bob'], own)).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringMatching(/"dora" alone\n.*--as dora/),
  });
  const tail = new Joined(line.spawn(['tail', '--json'], own));
  await new Promise<void>((resolve) => tail.child.stderr.on('data', () => tail.err.includes('watching') && resolve()));
  for (const words of [['sessions'], ['inbox'], ['join']]) {
    const refused = await line.here(words, own);
    expect(refused).toMatchObject({ code: 7, out: '', err: expect.stringContaining('dora is connected elsewhere') });
  }
  expect(tail.child.exitCode).toBeNull();
  tail.child.kill('SIGINT');
  expect(await tail.ended).toBe(0);
  expect(await line.here(['sessions', '--json'], own)).toMatchObject({ code: 0, err: '' });
});

it('[CM4] explains that the hub does not know the token', async () => {
  const own = { PARLEY_TOKEN: `parley_${'a'.repeat(16)}_${'b'.repeat(43)}` };
  for (const words of [['sessions'], ['inbox'], ['send', 'last', 'hi'], ['join', '--name', 'bob']]) {
    const { code, err } = await line.run(words, own);
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringMatching(/^parley: .* with PARLEY_TOKEN: .*\nCheck PARLEY_TOKEN: the token may be/),
    });
  }
});

it('[CM6] a short command leaves invites and messages to whoever stays', async () => {
  const [opened] = await line.json('open', 'conversation', '--to', 'carol', '--no-wait').catch(async () => {
    const carol = line.join('carol');
    await carol.says('"joined"');
    await carol.end();
    return line.json('open', 'conversation', '--to', 'carol', '--no-wait');
  });
  const { session_id } = (opened as { session: { session_id: string } }).session;
  expect(await line.json('inbox', '--as', 'carol')).toMatchObject([{ session_id, why: 'invite' }]);
  expect(await line.json('show', session_id)).toMatchObject([
    { state: 'INVITED', awaited: [{ name: 'carol', what: 'to accept' }] },
  ]);
  const carol = line.join('carol');
  await carol.says('session.opened');
  expect(await carol.end()).toBe(0);
});

it('[CM18] --invite-timeout sets the time to accept, also for a type with its own deadline', async () => {
  const erin = line.join('erin');
  await erin.says('"joined"');
  await erin.end();
  const words = ['--to', 'erin', '--no-wait', '--invite-timeout', '10m'];
  const [asked] = await line.json('open', 'consulting', ...words);
  expect(asked).toMatchObject({
    session: {
      manifest: {
        expectations: [
          { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 600 } },
          { name: 'reply_within', params: { seconds: 600 } },
        ],
      },
    },
  });
  for (const [type, reason] of [
    ['consulting', 'expectation_violated:acks_within'],
    ['conversation', 'invite_timeout'],
  ]) {
    const { code, err } = await line.here(['open', type ?? '', '--to', 'erin', '--invite-timeout', '0.1s', 'hello']);
    expect({ code, err }).toEqual({ code: 6, err: expect.stringContaining(reason ?? '') });
  }
  const { code, err } = await line.here(['open', 'conversation', '--to', 'erin', '--invite-timeout', 'soon']);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--invite-timeout: expected a duration') });
});

it('[CM12] without a terminal there is no colour, and notes are not on stdout', async () => {
  const { out, err } = await line.here(['sessions']);
  expect(out).toMatch(/^session +type +state/);
  expect(out + err).not.toContain('\u001b');
  const opened = await line.here(['open', 'conversation', '--to', 'carol', '--no-wait']);
  expect(opened.out).toMatch(/^[0-9a-f]{32} {2}INVITED\n$/);
  expect(opened.err).toContain('parley show');
});

it('[CM5, CM10] a hub without credentials takes commands without a token, for their sessions', async () => {
  const open = await CommandLine.open();
  try {
    await open.startHub('--auth', 'none');
    const nowhere = { PARLEY_DATA: join(open.folder, 'none') };
    expect(await open.here(['agents', '--json'], nowhere)).toEqual({ code: 0, out: '', err: '' });
    expect(await open.here(['sessions', '--json'], nowhere)).toEqual({ code: 0, out: '', err: '' });
  } finally {
    await open.close();
  }
});
