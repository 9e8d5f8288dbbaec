// The exact calls of each CLI: a real process records its arguments, stdin and environment.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ThreadContext } from '../../../src/participants/agent/agent-fn.ts';
import { type CliName, cliFactories, createCliAdapter } from '../../../src/participants/clis/cli-agents.ts';
import type { Permissions } from '../../../src/participants/clis/records/cli-record.ts';
import { itDeep } from '../../support/size.ts';
import { watchedTurn } from '../watched-turn.ts';
import { type Act, type FakeCli, fakeCli } from './fake-cli.ts';

const start = { role: 'alice', content: 'What is 2 + 2?', meta: {}, timestamp: '2026-01-01T00:00:00Z' };
const thread: ThreadContext = { threadId: 's1', start, steps: [] };
const later: ThreadContext = {
  ...thread,
  steps: [
    { ...start, role: 'assistant', content: '4', timestamp: '2026-01-01T00:01:00Z' },
    { ...start, role: 'bob', content: 'Why?', timestamp: '2026-01-01T00:02:00Z' },
  ],
};

let fake: FakeCli;
afterEach(() => fake.remove());

interface Known {
  readonly answer: readonly Act[];
  readonly first: readonly string[];
  readonly again: readonly string[];
  readonly model: readonly string[];
  readonly permits: Readonly<Record<Permissions, { readonly args?: readonly string[]; readonly env?: object }>>;
}

const CLAUDE = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'];
const CODEX = ['exec', '--json', '--skip-git-repo-check', '--disable', 'plugins', '--disable', 'apps'];
const line = (value: string | object): Act => ({ line: value });
const known: Readonly<Record<Exclude<CliName, 'aider'>, Known>> = {
  claude: {
    answer: [line({ type: 'result', subtype: 'success', is_error: false, result: '4', session_id: 'id-1' })],
    first: CLAUDE,
    again: [...CLAUDE, '--resume', 'id-1'],
    model: ['--model', 'm-1'],
    permits: {
      safe: { args: ['--permission-mode', 'default', '--disallowedTools', 'Edit,Write,NotebookEdit'] },
      write: { args: ['--permission-mode', 'acceptEdits'] },
      full: { args: ['--dangerously-skip-permissions'] },
    },
  },
  codex: {
    answer: [
      line({ type: 'thread.started', thread_id: 'id-1' }),
      line({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: '4' } }),
      line({ type: 'turn.completed', usage: {} }),
    ],
    first: [...CODEX, '$', '-'],
    again: [...CODEX, '$', 'resume', 'id-1', '-'],
    model: ['-m', 'm-1'],
    permits: {
      safe: { args: ['-s', 'read-only'] },
      write: { args: ['-s', 'workspace-write'] },
      full: { args: ['--dangerously-bypass-approvals-and-sandbox'] },
    },
  },
  gemini: {
    answer: [
      line({ type: 'init', session_id: 'id-1' }),
      line({ type: 'message', role: 'assistant', content: '4' }),
      line({ type: 'result', status: 'success' }),
    ],
    first: ['--skip-trust', '-o', 'stream-json'],
    again: ['--skip-trust', '-o', 'stream-json', '--resume', 'id-1'],
    model: ['-m', 'm-1'],
    permits: {
      safe: { args: ['--approval-mode', 'default'] },
      write: { args: ['--approval-mode', 'auto_edit'] },
      full: { args: ['--approval-mode', 'yolo'] },
    },
  },
  opencode: {
    answer: [
      line({ type: 'text', sessionID: 'id-1', part: { text: '4' } }),
      line({ type: 'step_finish', sessionID: 'id-1', part: { reason: 'stop' } }),
    ],
    first: ['run', '--format', 'json', '--title', 'parley'],
    again: ['run', '--format', 'json', '-s', 'id-1'],
    model: ['-m', 'm-1'],
    permits: {
      safe: { env: { OPENCODE_PERMISSION: '{"edit":"deny","bash":"deny"}' } },
      write: { env: { OPENCODE_PERMISSION: '{"edit":"allow","bash":"deny"}' } },
      full: { args: ['--auto'] },
    },
  },
  'cursor-agent': {
    answer: [line({ type: 'result', subtype: 'success', is_error: false, result: '4', session_id: 'id-1' })],
    first: ['-p', '--trust', '--output-format', 'stream-json', '--stream-partial-output'],
    again: ['-p', '--trust', '--output-format', 'stream-json', '--stream-partial-output', '--resume', 'id-1'],
    model: ['--model', 'm-1'],
    permits: {
      safe: { args: ['--mode', 'ask'] },
      write: { args: ['--force', '--sandbox', 'enabled'] },
      full: { args: ['--force', '--sandbox', 'disabled'] },
    },
  },
  hermes: {
    answer: [line('4'), { err: '\nsession_id: id-1\n' }],
    first: ['chat', '-Q', '--oneshot', '--query-file', '-', '--source', 'tool'],
    again: ['chat', '-Q', '--oneshot', '--query-file', '-', '--source', 'tool', '--resume', 'id-1'],
    model: ['-m', 'm-1'],
    permits: { safe: { args: ['-t', 'web'] }, write: {}, full: { args: ['--yolo'] } },
  },
  goose: {
    answer: [
      line({ type: 'message', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: '4' }] } }),
      line({ type: 'complete', total_tokens: 1 }),
    ],
    first: ['run', '-i', '-', '-q', '--output-format', 'stream-json', '-n', '<ours>'],
    again: ['run', '-i', '-', '-q', '--output-format', 'stream-json', '-n', '<ours>', '-r'],
    model: ['--model', 'm-1'],
    permits: {
      safe: { env: { GOOSE_MODE: 'chat' } },
      write: { env: { GOOSE_MODE: 'auto' } },
      full: { env: { GOOSE_MODE: 'auto' } },
    },
  },
};

/** Varying arguments go to the end or to the `$`; generated names are replaced. */
function expectedArgs(known: readonly string[], varying: readonly string[]): readonly string[] {
  const place = known.indexOf('$');
  return place === -1 ? [...known, ...varying] : [...known.slice(0, place), ...varying, ...known.slice(place + 1)];
}
const withoutNames = (args: readonly string[]): readonly string[] =>
  args.map((arg) => (/^parley-[0-9a-f-]{36}$/.test(arg) ? '<ours>' : arg));

const names = Object.keys(known) as readonly (keyof typeof known)[];

describe.each(names)('%s', (name) => {
  const { answer, first, again, model, permits } = known[name];
  const safe = permits.safe.args ?? [];

  itDeep(
    '[AC1, AC9, AC10] gets exactly these arguments, first and when resumed, with the prompt on stdin',
    async () => {
      fake = fakeCli();
      fake.plays(answer);
      const agent = cliFactories[name]({ command: fake.command, cwd: fake.folder });
      const turn = watchedTurn();
      expect(await agent(thread, 'You are me.', turn)).toMatchObject({ text: '4' });
      expect(await agent(later, 'You are me.', turn)).toMatchObject({ text: '4' });
      const [one, two] = fake.calls();
      expect(withoutNames(one?.argv ?? [])).toEqual(expectedArgs(first, safe));
      expect(withoutNames(two?.argv ?? [])).toEqual(expectedArgs(again, safe));
      expect(one?.cwd).toBe(fake.folder);
      expect(one?.stdin).toMatch(/^You are me\.\n\n<message from="alice"/);
      expect(two?.stdin).toMatch(
        /^<message from="bob" at="2026-01-01T00:02:00Z">\nWhy\?\n<\/message>\n\nIt is your turn/,
      );
      expect(one?.env).toMatchObject({ NO_COLOR: '1', ...permits.safe.env });
    },
  );

  it('[AC1, AC10] takes a model, extra arguments and permissions', async () => {
    fake = fakeCli();
    fake.plays(answer);
    for (const permissions of ['write', 'full'] as const) {
      const options = { command: fake.command, model: 'm-1', args: ['--more', 'a b'], permissions };
      await cliFactories[name](options)(thread, '');
      const call = fake.calls().at(-1);
      const varying = [...(permits[permissions].args ?? []), '--more', 'a b'];
      expect(withoutNames(call?.argv ?? [])).toEqual(expectedArgs(first, [...model, ...varying]));
      expect(call?.env).toMatchObject(permits[permissions].env ?? {});
    }
  });

  itDeep('[AC9] sends the whole thread every time without resume', async () => {
    fake = fakeCli();
    fake.plays(answer);
    const agent = cliFactories[name]({ command: fake.command, resume: false });
    await agent(thread, 'You are me.');
    await agent(later, 'You are me.');
    const [one, two] = fake.calls();
    expect(two?.argv).toEqual(one?.argv);
    expect(two?.argv).not.toContain('id-1');
    expect(two?.stdin).toContain('You are me.');
    expect(two?.stdin).toContain('What is 2 + 2?');
  });
});

it('[AC1] gives aider its prompt in a private file, and removes it afterwards', async () => {
  fake = fakeCli();
  fake.plays([line('4'), line('Tokens: 1 sent, 1 received.')]);
  expect(await cliFactories.aider({ command: fake.command })(thread, 'You are me.')).toMatchObject({ text: '4' });
  const [call] = fake.calls();
  const [file] = call?.files ?? [];
  expect(file).toMatchObject({ mode: '600', text: expect.stringMatching(/^You are me\.\n\n<message from="alice"/) });
  expect(existsSync(file?.path ?? '')).toBe(false);
  expect(call?.argv.map((arg) => (arg === file?.path ? '<file>' : arg))).toEqual([
    '--message-file', '<file>', '--yes-always', '--no-stream', '--no-pretty', '--no-auto-commits', '--no-gitignore',
    '--no-check-update', '--no-suggest-shell-commands', '--chat-history-file', '/dev/null', '--input-history-file', '/dev/null',
    '--chat-mode', 'ask', '--dry-run',
  ]); // biome-ignore format: a command line
});

describe('[AC13] any other program', () => {
  it.each(['stdin', 'file', 'arg'] as const)('gets its prompt by %s', async (transport) => {
    fake = fakeCli();
    fake.plays([line('4')]);
    const agent = createCliAdapter({ command: fake.command, args: ['-q'], transport });
    expect(await agent(thread, 'You are me.')).toMatchObject({ text: '4' });
    const [call] = fake.calls();
    const by = { stdin: call?.stdin, file: call?.files[0]?.text, arg: call?.argv[1] };
    expect(by[transport]).toContain('What is 2 + 2?');
    expect(call?.argv).toHaveLength(transport === 'stdin' ? 1 : 2);
    if (transport !== 'stdin') expect(call?.stdin).toBe('');
  });

  it('[AC1] gets a prompt on stdin if it is too large for an argument', async () => {
    fake = fakeCli();
    fake.plays([line('4')]);
    const large = { ...thread, start: { ...start, content: 'x'.repeat(100_001) } };
    await createCliAdapter({ command: fake.command, args: ['--ask', '{prompt}'], transport: 'arg' })(large, '');
    const [call] = fake.calls();
    expect(call?.argv).toEqual(['--ask']);
    expect(call?.stdin).toContain('x'.repeat(100_001));
  });
});

it('[AC11] passes only known and requested environment variables', async () => {
  fake = fakeCli();
  fake.plays(known.codex.answer);
  const ours = { OPENAI_API_KEY: 'test-key-1', CODEX_HOME: '/tmp/ours', SECRET_OF_OURS: 'test-key-2', WANTED: 'yes' };
  Object.assign(process.env, ours);
  try {
    const home = join(fake.folder, 'home');
    const options = { command: fake.command, passEnv: ['WANTED'], env: { GIVEN: 'yes' } };
    await cliFactories.codex(options)(thread, '');
    await cliFactories.codex({ ...options, home })(thread, '');
    const [usual, own] = fake.calls();
    const passed = { OPENAI_API_KEY: 'test-key-1', CODEX_HOME: '/tmp/ours', WANTED: 'yes', GIVEN: 'yes' };
    expect(usual?.env).toMatchObject(passed);
    expect(usual?.env).not.toHaveProperty('SECRET_OF_OURS');
    expect(own?.env).toMatchObject({ HOME: home, OPENAI_API_KEY: 'test-key-1' });
    expect(own?.env).not.toHaveProperty('CODEX_HOME');
  } finally {
    for (const name of Object.keys(ours)) delete process.env[name];
  }
});

it('[AC1] passes the budget to a tool that supports one', async () => {
  fake = fakeCli();
  fake.plays(known.claude.answer);
  await cliFactories.claude({ command: fake.command })(thread, '', watchedTurn({ budget: { usd: 0.5 } }));
  expect(fake.calls()[0]?.argv.join(' ')).toContain('--max-budget-usd 0.5');
});
