// `parley join` with an agent as a real process: its output, and what remains however it ends.

import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentClient, connect, type Session } from 'parley-hub/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { join as joinCommand } from '../../src/cli/joining/join.ts';
import { CommandLine, Joined, linesOf } from '../support/command-line.ts';
import { itDeep } from '../support/size.ts';

const FAKE = join(import.meta.dirname, '../participants/fake-agent.mjs');

let line: CommandLine;
let alice: AgentClient;
let folder: string;
/** The first that somebody shows of what it writes. */
let wrote: Promise<string>;
let heard: (text: string) => void;
const started: Joined[] = [];
beforeAll(async () => {
  line = await CommandLine.open();
  await line.startHub();
  const token = (await readFile(join(line.data, 'operator-token'), 'utf8')).trim();
  alice = await connect(line.url, { name: 'alice', token, onMessage() {}, onDelta: ({ text }) => heard(text) });
});
afterAll(async () => {
  alice.close();
  await line.close();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-agent-'));
  wrote = new Promise((resolve) => {
    heard = resolve;
  });
});
afterEach(async () => {
  for (const one of started.splice(0)) {
    one.child.kill('SIGKILL');
    await one.ended;
  }
  await rm(folder, { recursive: true, force: true });
});

function run(name: string, ...args: readonly string[]): Joined {
  const joined = new Joined(line.spawn(['join', '--name', name, ...args]));
  started.push(joined);
  return joined;
}

const fake = (...answer: readonly string[]): string =>
  `'${process.execPath}' '${FAKE}' '${folder}' ${answer.join(' ')}`;
const go = (): Promise<void> => writeFile(join(folder, 'go'), '');

async function ask(name: string): Promise<Session> {
  const session = await alice.open('consulting', [name]);
  await session.send('Is it ready?');
  return session;
}

async function answers(session: Session): Promise<string[]> {
  const texts: string[] = [];
  for await (const { event_type, event_data } of session.log()) {
    if (event_type === 'msg.text') texts.push(String(event_data.text));
  }
  return texts.slice(1);
}

async function pids(): Promise<string[]> {
  return (await readFile(join(folder, 'pids'), 'utf8').catch(() => '')).split('\n').filter((one) => one !== '');
}

/** The test's time limit is the limit. */
async function gone(pid: string | undefined): Promise<void> {
  expect(pid).toMatch(/^\d+$/);
  while (existsSync(`/proc/${pid}`)) await pause(10);
}

describe('an agent that is a program', () => {
  it('[PA5, PA15] shows live what it does, and what it writes reaches the others before it is done', async () => {
    const bob = run('bob', '--command', fake('It', 'is.'));
    await bob.says('bob joined');
    const session = await ask('bob');
    expect(await wrote).toContain('I read it.');
    await bob.says('alice: Is it ready?');
    await bob.says('| I read it.');
    // Only now may it go on.
    await go();
    expect(await session.ended()).toMatchObject({ reason: 'consulting_complete' });
    expect(await answers(session)).toEqual(['I read it.\nIt is.']);
    await bob.says('✓ posted');
    await bob.says('session ended: consulting_complete');
  });

  it('[PA4, PA15] stops with the session, and Ctrl-C exits cleanly', async () => {
    const bob = run('bea', '--command', fake());
    await bob.says(' joined ');
    const session = await ask('bea');
    await wrote;
    const [pid] = await pids();
    await session.close('never mind');
    await gone(pid);
    await bob.says('✗ cancelled');
    expect(await answers(session)).toEqual([]);
    bob.child.kill('SIGINT');
    expect(await bob.ended).toBe(0);
    expect(bob.out).toContain('its open turns wait for the next run');
    // Nothing runs any more.
    expect(bob.err).not.toContain('ending');
  });

  itDeep(
    '[PA12, PA15] Ctrl-C in the middle of a turn ends the program; the next run takes the turn again',
    async () => {
      const first = run('ben', '--command', fake(), '--json');
      await first.says('"joined"');
      const session = await ask('ben');
      await wrote;
      const [pid] = await pids();
      first.child.kill('SIGINT');
      expect(await first.ended).toBe(0);
      expect(first.err).toContain('ending node …\n');
      await gone(pid);
      expect(linesOf(first.out).map(({ event }) => event)).toEqual([
        'joined',
        'turn',
        'delta',
        'cancelled',
        'closed',
        'left',
      ]);
      // Of those --help tells.
      const told = joinCommand.json.split('for an agent')[1];
      for (const { event } of linesOf(first.out)) expect(told).toContain(`"${event}"`);
      await go();
      const second = run('ben', '--command', fake(), '--json');
      await session.ended();
      await second.says('"reply"');
      expect(linesOf(second.out).find(({ event }) => event === 'turn')).toMatchObject({ resumed: true, from: 'alice' });
      expect(await answers(session)).toEqual(['I read it.\nDone.']);
    },
  );

  itDeep(
    '[PA12] killed in the middle of a turn and started again, it answers once, and nothing of the first run is left',
    async () => {
      const first = run('carl', '--command', fake(), '--json');
      await first.says('"joined"');
      const session = await ask('carl');
      await wrote;
      const [pid] = await pids();
      first.child.kill('SIGKILL');
      await first.ended;
      expect(linesOf(first.out).find(({ event }) => event === 'turn')).toMatchObject({ resumed: false });
      await gone(pid);
      await go();
      const second = run('carl', '--command', fake(), '--json');
      await session.ended();
      await second.says('"reply"');
      expect(linesOf(second.out).filter(({ event }) => event === 'turn')).toMatchObject([{ resumed: true }]);
      expect(await answers(session)).toEqual(['I read it.\nDone.']);
      expect(await pids()).toHaveLength(2);
    },
  );

  it('[PA3, PA15] shows a failure with its reason, reports it to the session, and takes the next turn', async () => {
    const dora = run('dora', '--command', `'${process.execPath}' -e 'process.exit(7)'`, '--json');
    await dora.says('"joined"');
    const session = await ask('dora');
    await dora.says('"failed"');
    const failed = linesOf(dora.out).find(({ event }) => event === 'failed');
    expect(failed).toMatchObject({ kind: 'non_zero_exit', message: expect.stringContaining('exitCode=7') });
    await session.close();
    await ask('dora');
    await dora.says(/"failed"[\s\S]*"failed"/);
  });
});

describe('how a program is run', () => {
  it('[PA15] in the given folder, with only the given variables', async () => {
    const script = join(folder, 'where.mjs');
    await writeFile(
      script,
      'console.log(process.cwd(), process.env.MINE_1, process.env.MINE_2, process.env.OTHERS);\n',
    );
    const own = { MINE_1: 'one', MINE_2: 'two', OTHERS: 'three' };
    const command = `'${process.execPath}' '${script}'`;
    const args = ['join', '--name', 'gil', '--command', command, '--cwd', folder, '--pass-env', 'MINE_1,MINE_2'];
    const gil = new Joined(line.spawn(args, own));
    started.push(gil);
    await gil.says('gil joined');
    const session = await ask('gil');
    await session.ended();
    expect(await answers(session)).toEqual([`${await realpath(folder)} one two undefined`]);
  });

  it('[PA15] for as long as it may', async () => {
    const hal = run('hal', '--command', fake(), '--timeout', '0.2s', '--json');
    await hal.says('"joined"');
    await ask('hal');
    await hal.says('"failed"');
    expect(linesOf(hal.out).find(({ event }) => event === 'failed')).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('within 200 ms'),
    });
  });
});

describe('an agent that is a script', () => {
  it('[PA11, PA15] is a function of a module, with a role', async () => {
    const script = join(folder, 'echo.mjs');
    await writeFile(script, 'export default (ctx, prompt) => [prompt, ctx.steps.at(-1).content].join(" ");\n');
    const role = join(folder, 'role.md');
    await writeFile(role, '---\nname: echo\ndescription: says it again\n---\nYou heard:\n');
    const echo = new Joined(line.spawn(['join', '--script', script, '--role', role], { PARLEY_NAME: '' }));
    started.push(echo);
    await echo.says('echo joined');
    const session = await ask('echo');
    await session.ended();
    expect(await answers(session)).toEqual(['You heard: Is it ready?']);
    expect(await alice.resume('echo')).toMatchObject({ summary: 'says it again' });
  });

  it('[PA11, PA15] is a list of answers in a JSON file', async () => {
    const script = join(folder, 'answers.json');
    await writeFile(script, '["Yes.", {"text": "No."}]');
    const jay = run('jay', '--script', script);
    await jay.says('jay joined');
    const session = await ask('jay');
    await session.ended();
    expect(await answers(session)).toEqual(['Yes.']);
  });
});

describe('asked wrongly', () => {
  const cases: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    [
      'a program that is nowhere',
      ['--command', 'no-such-agent --x'],
      5,
      /no-such-agent: not found in PATH[\s\S]*Install it/,
    ],
    ['a CLI there is none of', ['--cli', 'clade'], 2, /claude/],
    ['two at once', ['--command', 'cat', '--script', 'x.mjs'], 2, /--command and --script exclude each other/],
    ['a person and an agent', ['--human', '--command', 'cat'], 2, /--human and an agent exclude each other/],
    [
      'a script that is not there',
      ['--script', '/nowhere/x.mjs'],
      5,
      /--script: \/nowhere\/x\.mjs does not exist\n.*path/,
    ],
    ['a script in TypeScript', ['--script', '/nowhere/x.ts'], 2, /expected JavaScript, got TypeScript\n.*tsc/],
    [
      'permissions of a command',
      ['--command', 'cat', '--permissions', 'full'],
      2,
      /--permissions has no effect with --command\n.*--cli/,
    ],
    [
      'the output of a script',
      ['--script', 'x.mjs', '--output', 'json'],
      2,
      /--output has no effect with --script\n.*--command/,
    ],
    ['a time limit of a script', ['--script', 'x.mjs', '--timeout', '1m'], 2, /--timeout has no effect with --script/],
    [
      'a model that goes nowhere',
      ['--command', 'cat', '--model', 'x'],
      2,
      /--model has no effect: \{model\} is not in/,
    ],
    ['a folder for a person', ['--human', '--cwd', '/'], 2, /--cwd has no effect for a person/],
    ['a folder that is not there', ['--command', 'cat', '--cwd', '/nowhere'], 5, /--cwd: \/nowhere does not exist/],
    [
      'a time that is none',
      ['--command', 'cat', '--timeout', 'soon'],
      2,
      /--timeout: expected a time such as .* got "soon"/,
    ],
    ['no time at all', ['--command', 'cat', '--timeout', '0'], 2, /--timeout: expected a time/],
    ['a variable with its value', ['--command', 'cat', '--pass-env', 'A=b'], 2, /--pass-env: expected names/],
    ['a variable that is not set', ['--command', 'cat', '--pass-env', 'NO_SUCH_1'], 2, /NO_SUCH_1 is not set/],
    ['a role that is not there', ['--role', '/nowhere/x.md'], 5, /--role: \/nowhere\/x\.md cannot be read/],
    ['quotes that are open', ['--command', 'cat "x'], 2, /quotes are closed/],
    ['a number that is none', ['--command', 'cat', '--parallel', '0'], 2, /--parallel: expected a whole number/],
  ];
  it.each(cases)('[PA15] explains %s and what to do', async (_what, args, code, says) => {
    const ended = await line.here(['join', '--name', 'nobody', ...args]);
    expect(ended.err).toMatch(says);
    expect(ended.code).toBe(code);
  });

  it('[PA15] explains how to install a missing CLI', async () => {
    const ended = await line.here(['join', '--name', 'nobody', '--cli', 'claude'], { PATH: folder });
    expect(ended.err).toContain('npm install --global @anthropic-ai/claude-code');
    expect(ended.code).toBe(5);
  });

  it('[PA15] a role without anybody to play it, and one with keys that mean nothing', async () => {
    const role = join(folder, 'role.md');
    await writeFile(role, 'You are kind.');
    expect((await line.here(['join', '--role', role])).err).toContain('the role names no agent to take the turns');
    await writeFile(role, '---\nnmae: x\n---\nYou are kind.');
    expect((await line.here(['join', '--role', role])).err).toMatch(
      /expected name, description, model, cli .* got "nmae"/,
    );
  });

  it('[PA15] a role that has its CLI beside another way, and a script that cannot be loaded', async () => {
    const role = join(folder, 'role.md');
    await writeFile(role, '---\ncli: claude\n---\nYou are kind.');
    expect(await line.here(['join', '--role', role, '--command', 'cat'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--command and "cli: claude" of the role exclude each other'),
    });
    const script = join(folder, 'half.mjs');
    await writeFile(script, 'export default (');
    expect(await line.run(['join', '--script', script])).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /half\.mjs: not a valid JavaScript module: .*\nRun "node --check .*half\.mjs" to see where/,
      ),
    });
    const list = join(folder, 'half.json');
    await writeFile(list, '["Yes.');
    expect((await line.here(['join', '--script', list])).err).toMatch(
      /half\.json: not valid JSON: .*\nExpected a list such as/,
    );
  });

  it('[PA15] the CLI of a role is found in PATH, and is what runs', async () => {
    const codex = join(folder, 'codex');
    await writeFile(codex, '#!/bin/sh\nexit 9\n');
    await chmod(codex, 0o755);
    const role = join(folder, 'role.md');
    await writeFile(role, '---\nname: cody\ncli: codex\n---\nYou are kind.');
    const cody = new Joined(
      line.spawn(['join', '--role', role, '--json'], { PATH: `${folder}:${process.env.PATH}`, PARLEY_NAME: '' }),
    );
    started.push(cody);
    await cody.says('"joined"');
    await ask('cody');
    await cody.says('"failed"');
    expect(linesOf(cody.out).find(({ event }) => event === 'failed')?.message).toMatch(/^codex: /);
  });
});
