// Turns through real processes: streaming, resumed and lost sessions, and programs that misbehave.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentError, isAgentError } from '../../../src/participants/agent/agent-error.ts';
import type { ThreadContext } from '../../../src/participants/agent/agent-fn.ts';
import {
  createClaudeAdapter,
  createCliAdapter,
  createCodexAdapter,
  createCursorAdapter,
  createGeminiAdapter,
} from '../../../src/participants/clis/cli-agents.ts';
import { appendNoise, EMPTY_OUTPUT } from '../../../src/participants/clis/output/cli-output.ts';
import { runningPrograms } from '../../../src/participants/processes/run-program.ts';
import { itDeep } from '../../support/size.ts';
import { watchedTurn } from '../watched-turn.ts';
import { type Act, type FakeCli, fakeCli } from './fake-cli.ts';

const start = { role: 'alice', content: 'What is 2 + 2?', meta: {}, timestamp: '2026-01-01T00:00:00Z' };
const thread: ThreadContext = { threadId: 's1', start, steps: [] };
const line = (value: string | object): Act => ({ line: value });
const piece = (text: string): Act =>
  line({
    type: 'stream_event',
    event: { type: 'content_block_delta', delta: { type: 'text_delta', text } },
    session_id: 'id-1',
  });
const result = (text: string, session_id = 'id-1'): Act =>
  line({ type: 'result', subtype: 'success', is_error: false, result: text, session_id });

let fake: FakeCli;
beforeEach(() => {
  fake = fakeCli();
});
afterEach(() => {
  fake.remove();
  expect(runningPrograms()).toEqual([]);
});

async function failure(turn: Promise<unknown>): Promise<AgentError> {
  const thrown: unknown = await turn.then(
    () => null,
    (error: unknown) => error,
  );
  if (!isAgentError(thrown)) throw new Error(`expected an AgentError, got ${String(thrown)}`);
  return thrown;
}

it('[AC3] streams text while the program runs: it ends only after its first words arrived', async () => {
  fake.plays([piece('It is '), { waitFor: 'heard' }, piece('4.'), result('It is 4.')]);
  const turn = watchedTurn();
  const onDelta = (text: string): void => {
    turn.deltas.push(text);
    fake.touch('heard');
  };
  const reply = await createClaudeAdapter({ command: fake.command })(thread, '', { ...turn, onDelta });
  expect(turn.deltas).toEqual(['It is ', '4.']);
  expect(reply).toMatchObject({ text: 'It is 4.', native_session_id: 'id-1' });
});

it('[AC1] passes a prompt of 2 MB on stdin, invisible to other processes', async () => {
  const secret = 'a-word-nobody-else-says';
  const content = `${secret} ${'wörd '.repeat(350_000)}`;
  fake.plays([piece('Hm.'), { waitFor: 'looked' }, result('4')]);
  const shown: string[] = [];
  const onDelta = (): void => {
    shown.push(...commandLines().filter((text) => text.includes(secret)));
    fake.touch('looked');
  };
  const long = { ...thread, start: { ...start, content } };
  await createClaudeAdapter({ command: fake.command })(long, '', { ...watchedTurn(), onDelta });
  expect(shown).toEqual([]);
  const arrived = /<message [^>]*>\n([\s\S]*)\n<\/message>/.exec(fake.calls()[0]?.stdin ?? '')?.[1] ?? '';
  expect(sha(arrived)).toBe(sha(content));
  expect(Buffer.byteLength(content)).toBeGreaterThan(2_000_000);
});

it('[AC13] marks an answer with a truncated line', async () => {
  const say = (limits: { readonly maxLineBytes?: number }) =>
    createCliAdapter({ command: '/bin/sh', args: ['-c', 'cat >/dev/null; echo 0123456789; echo ab'], limits });
  expect(await say({ maxLineBytes: 4 })(thread, '')).toMatchObject({ text: '0123\nab', meta: { is_cut: true } });
  expect(await say({})(thread, '')).toMatchObject({ text: '0123456789\nab', meta: {} });
  expect(await say({})(thread, '')).not.toHaveProperty('meta.is_cut');
});

describe('[AC9] the session of a thread', () => {
  it('starts again once with the whole thread if the tool lost it', async () => {
    const lost: readonly Act[] = [{ err: 'Error: no rollout found for thread id id-0' }, { exit: 1 }];
    const well: readonly Act[] = [
      line({ type: 'thread.started', thread_id: 'id-2' }),
      line({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: '4' } }),
      line({ type: 'turn.completed', usage: { input_tokens: 5, output_tokens: 1 } }),
    ];
    fake.plays(lost, well);
    const turn = watchedTurn({ nativeSessionId: 'id-0' });
    const reply = await createCodexAdapter({ command: fake.command })(thread, 'You are me.', turn);
    expect(reply).toMatchObject({ text: '4', native_session_id: 'id-2', usage: { input_tokens: 5 } });
    expect(fake.calls().map(({ argv }) => argv.includes('resume'))).toEqual([true, false]);
    expect(fake.calls()[1]?.stdin).toContain('You are me.');
    expect(turn.progress).toContainEqual({ kind: 'note', text: 'codex does not know id-0; starting a new session' });
  });

  it('does not start again after other failures', async () => {
    fake.plays([{ err: 'Error: unexpected status 429' }, { exit: 1 }]);
    const turn = watchedTurn({ nativeSessionId: 'id-0' });
    expect((await failure(createCodexAdapter({ command: fake.command })(thread, '', turn))).kind).toBe('rate_limited');
    expect(fake.calls()).toHaveLength(1);
  });

  it('gets the whole thread if an earlier process began it, and its usage is unknown', async () => {
    fake.plays([
      line({ type: 'thread.started', thread_id: 'id-0' }),
      line({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: '4' } }),
      line({ type: 'turn.completed', usage: { input_tokens: 5000, output_tokens: 100 } }),
    ]);
    const turn = watchedTurn({ nativeSessionId: 'id-0' });
    const reply = await createCodexAdapter({ command: fake.command })(thread, 'You are me.', turn);
    expect(reply).toMatchObject({ usage: { input_tokens: null, output_tokens: null } });
    expect(fake.calls()[0]?.stdin).toContain('You are me.');
  });

  it('is separate for each role and thread of a shared agent', async () => {
    fake.plays([result('4', 'id-1')], [result('5', 'id-2')], [result('6', 'id-3')], [result('7', 'id-2')]);
    const agent = createClaudeAdapter({ command: fake.command });
    await agent(thread, 'You are a planner.');
    await agent(thread, 'You are a coder.');
    await agent({ ...thread, threadId: 's2' }, 'You are a coder.');
    await agent(thread, 'You are a coder.');
    const resumes = fake.calls().map(({ argv }) => argv[argv.indexOf('--resume') + 1]);
    expect(fake.calls().map(({ argv }) => argv.includes('--resume'))).toEqual([false, false, false, true]);
    expect(resumes.at(-1)).toBe('id-2');
  });

  it('starts fresh if the caller says that none exists', async () => {
    fake.plays([result('4')]);
    const agent = createClaudeAdapter({ command: fake.command });
    await agent(thread, '', watchedTurn({ nativeSessionId: undefined }));
    await agent(thread, '', watchedTurn({ nativeSessionId: undefined }));
    expect(fake.calls().some(({ argv }) => argv.includes('--resume'))).toBe(false);
  });
});

describe('[AC4, AC5, AC12] programs that misbehave', () => {
  it('accepts the answer of a program that does not exit', async () => {
    fake.plays([result('4'), { hang: true }]);
    const agent = createClaudeAdapter({ command: fake.command, limits: { afterResultMs: 50 } });
    expect(await agent(thread, '')).toMatchObject({ text: '4' });
  });

  it('stops a program that retries a rejected key', async () => {
    const error = { error_status: 401, error: 'authentication_failed' };
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, ...error };
    fake.plays([line(retry), { hang: true }]);
    // Not only after a silence: each retry would end that.
    const agent = createClaudeAdapter({ command: fake.command, limits: { afterResultMs: 60_000 } });
    expect((await failure(agent(thread, ''))).kind).toBe('auth');
  });

  it('stops a program that hangs, keeping partial text and session', async () => {
    fake.plays([piece('It is '), { hang: true }]);
    const error = await failure(createClaudeAdapter({ command: fake.command, limits: { idleMs: 500 } })(thread, ''));
    expect(error.kind).toBe('timeout');
    expect(error.details).toMatchObject({ tool: 'claude', partial: 'It is ', native_session_id: 'id-1' });
  });

  it('stops a program that takes too long', async () => {
    fake.plays([{ hang: true }]);
    const error = await failure(createClaudeAdapter({ command: fake.command, timeoutMs: 100 })(thread, ''));
    expect(error.kind).toBe('timeout');
  });

  itDeep.each([
    [
      'status 429',
      'Attempt 1 failed with status 500. Retrying\nAttempt 2 failed with status 429. Retrying... x\n',
      [],
      'rate_limited',
    ],
    ['no network', 'Attempt 1 failed. Retrying with backoff... Error: TypeError: fetch failed\n', [], 'network'],
    ['another message', 'a deprecation of 401 things\n', [], 'timeout'],
    ['status 500, but text since', 'Attempt 1 failed with status 500. Retrying\n', ['It is'], 'timeout'],
  ] as const)('[AC5] reports why it was still retrying: %s', async (_, err, texts, kind) => {
    const said = texts.map((content) => line({ type: 'message', role: 'assistant', content, delta: true }));
    fake.plays([{ err }, line({ type: 'init', session_id: 'id-1' }), ...said, { hang: true }]);
    const error = await failure(createGeminiAdapter({ command: fake.command, limits: { idleMs: 500 } })(thread, ''));
    expect(error.kind).toBe(kind);
    expect(error.details.native_session_id).toBe('id-1');
  });

  it('stops a program when the turn is cancelled', async () => {
    fake.plays([piece('It is '), { hang: true }]);
    const controller = new AbortController();
    const turn = { ...watchedTurn({ signal: controller.signal }), onDelta: () => controller.abort() };
    const error = await failure(createClaudeAdapter({ command: fake.command })(thread, '', turn));
    expect(error.kind).toBe('aborted');
    expect(error.details).toMatchObject({ partial: 'It is ', native_session_id: 'id-1' });
  });

  it('reports a missing program', async () => {
    const error = await failure(createCursorAdapter({ command: `${fake.folder}/none` })(thread, ''));
    expect(error.kind).toBe('spawn_failed');
    expect(error.message).toMatch(/^cursor-agent: /);
  });

  it('quotes both streams after exit code 7, without secrets', async () => {
    fake.plays([line('some words'), { err: 'the key is test-key-123456\n' }, { exit: 7 }]);
    const agent = createCursorAdapter({ command: fake.command, env: { CURSOR_API_KEY: 'test-key-123456' } });
    const error = await failure(agent(thread, ''));
    expect(error.message).toBe('cursor-agent: exitCode=7 stdout=some words stderr=the key is [secret]');
    expect(error.kind).toBe('non_zero_exit');
    expect(JSON.stringify(error.details)).not.toContain('test-key-123456');
  });

  it.each([
    ['JSON cut in half', [piece('It'), { raw: '{"type":"result","subt' }], 'bad_output'],
    ['exit code 0 without a result', [piece('It')], 'no_result'],
    ['noise and colours around events', [line('\u001b[31mwarning\u001b[0m'), result('4')], null],
  ] as const)('%s', async (_, acts, kind) => {
    fake.plays(acts);
    const turn = createClaudeAdapter({ command: fake.command })(thread, '');
    if (kind === null) expect(await turn).toMatchObject({ text: '4' });
    else expect((await failure(turn)).kind).toBe(kind);
  });

  it('runs the next turn normally after a failure', async () => {
    fake.plays([{ exit: 1 }], [line('4')]);
    const agent = createCliAdapter({ command: fake.command });
    expect((await failure(agent(thread, ''))).kind).toBe('non_zero_exit');
    expect(await agent(thread, '')).toMatchObject({ text: '4' });
  });
});

it('[AC3, AC13] takes a line without an end', async () => {
  fake.plays([{ raw: 'one\ntwo' }]);
  const turn = watchedTurn();
  expect(await createCliAdapter({ command: fake.command })(thread, '', turn)).toMatchObject({ text: 'one\ntwo' });
  expect(turn.deltas).toEqual(['one', '\ntwo']);
});

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Command lines of all processes, visible to any user. */
function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
}

describe('[AC14] a secret of the environment', () => {
  const secret = `plain${'word'.repeat(12)}`;
  const env = { OTHER_API_KEY: secret };

  it('is never half visible where an error is truncated', async () => {
    for (const before of [960, 8_150]) {
      const message = `${'x '.repeat(before / 2)}${secret}`;
      fake.plays([line({ type: 'result', subtype: 'success', is_error: true, result: message, session_id: 'id-1' })]);
      const { message: shown } = await failure(createClaudeAdapter({ command: fake.command, env })(thread, ''));
      expect(shown).not.toContain('plainword');
    }
  });

  it('is never half visible in other output', async () => {
    // So long that the kept part would begin in the middle of the secret.
    const after = `rate limit, 429 ${'y'.repeat(8_192 - 50)}`;
    fake.plays([{ line: secret }, { line: after }, { exit: 1 }]);
    const first = await failure(createClaudeAdapter({ command: fake.command, env })(thread, ''));
    expect(first.kind).toBe('rate_limited');
    expect(first.message).not.toContain('word');
    const output = 'json';
    fake.plays([{ raw: `${secret} ${after}` }, { exit: 1 }]);
    const other = await failure(createCliAdapter({ command: fake.command, output, env })(thread, ''));
    expect(other.kind).toBe('rate_limited');
    expect(other.message).not.toContain('word');
    expect(appendNoise(EMPTY_OUTPUT, `${'x '.repeat(4_080)}${secret}`).noise).not.toContain('plain');
  });

  it('is not shown as progress', async () => {
    const error = `refused: ${secret}`;
    fake.plays([
      line({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 4, error_status: 500, error }),
      result('4'),
    ]);
    const turn = watchedTurn();
    await createClaudeAdapter({ command: fake.command, env })(thread, '', turn);
    expect(turn.progress).toEqual([{ kind: 'retry', text: 'try 1 of 4: 500 refused: [secret]' }]);
  });
});

it('[AC14] rejects a model that would be an option', () => {
  for (const model of ['--dangerously-skip-permissions', ' -x'])
    expect(() => createClaudeAdapter({ model })).toThrow(/not beginning with -/);
});
