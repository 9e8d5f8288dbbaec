// Codex, from transcripts in the shapes it writes.

import { describe, expect, it } from 'vitest';
import { codex } from '../../../src/participants/clis/records/codex.ts';
import { type Line, replay, unknownUsage } from './replay.ts';

const thread = '0199a213-81c0-7800-8aa1-bbab2a035a53';
const started: readonly Line[] = [{ type: 'thread.started', thread_id: thread }, { type: 'turn.started' }];
const message = (text: string, id = 'item_0', type = 'item.completed'): object => ({
  type,
  item: { id, type: 'agent_message', text },
});
const completed = (times = 1): object => ({
  type: 'turn.completed',
  usage: {
    input_tokens: 1500 * times,
    cached_input_tokens: 1000 * times,
    cache_write_input_tokens: 100 * times,
    output_tokens: 20 * times,
    reasoning_output_tokens: 5 * times,
  },
});
const ofOneTurn = {
  input_tokens: 400,
  cache_read_tokens: 1000,
  cache_write_tokens: 100,
  output_tokens: 20,
  reasoning_tokens: 5,
};

it('[AC3, AC6] the answer is its last message, with tokens in classes that do not overlap and no cost', () => {
  const command = { id: 'item_1', type: 'command_execution', command: 'ls', status: 'in_progress' };
  const { deltas, reply, progress } = replay(codex, [
    ...started,
    message('Let me look.'),
    { type: 'item.started', item: command },
    { type: 'item.completed', item: { ...command, status: 'completed', exit_code: 0 } },
    message('Done.', 'item_2'),
    completed(),
  ]);
  expect(deltas).toEqual(['Let me look.', '\n\nDone.']);
  expect(progress).toEqual([
    { kind: 'started', text: 'codex' },
    { kind: 'tool', text: 'ls' },
  ]);
  expect(reply).toEqual({ text: 'Done.', usage: ofOneTurn, cost_usd: null, native_session_id: thread, meta: {} });
});

it('[AC3] a message that grows is told piece by piece', () => {
  const lines = [message('He', 'i', 'item.started'), message('Hello', 'i', 'item.updated'), message('Hello.', 'i')];
  const { deltas, reply } = replay(codex, [...started, ...lines, completed()]);
  expect(deltas).toEqual(['He', 'llo', '.']);
  expect(reply?.text).toBe('Hello.');
});

it('[AC3] a message that is written anew is the answer, and is not told twice', () => {
  const lines = [message('Helo', 'i', 'item.updated'), message('Hello.', 'i')];
  const { deltas, reply } = replay(codex, [...started, ...lines, completed()]);
  expect(deltas).toEqual(['Helo']);
  expect(reply?.text).toBe('Hello.');
});

describe('[AC6] tokens are counted for the whole thread', () => {
  const lines = (times: number): readonly Line[] => [...started, message('Yes.'), completed(times)];

  it('a resumed turn has used the difference', () => {
    const first = replay(codex, lines(1));
    const second = replay(codex, lines(2), {}, { sessionId: thread, threadUsage: first.heard.threadUsage });
    const third = replay(codex, lines(3), {}, { sessionId: thread, threadUsage: second.heard.threadUsage });
    expect([first, second, third].map(({ reply }) => reply?.usage)).toEqual([ofOneTurn, ofOneTurn, ofOneTurn]);
  });

  it('a thread that somebody else began has an unknown difference', () => {
    expect(replay(codex, lines(2), {}, { sessionId: thread, threadUsage: null }).reply?.usage).toEqual(unknownUsage);
  });

  it('another thread, or one that counts anew, is taken as it is', () => {
    const before = { ...ofOneTurn, output_tokens: 9_999 };
    expect(replay(codex, lines(1), {}, { sessionId: 'other', threadUsage: ofOneTurn }).reply?.usage).toEqual(ofOneTurn);
    expect(replay(codex, lines(1), {}, { sessionId: thread, threadUsage: before }).reply?.usage).toEqual(ofOneTurn);
  });

  it('what is not told stays unknown', () => {
    const bare = [...started, message('Yes.'), { type: 'turn.completed' }];
    expect(replay(codex, bare).reply?.usage).toEqual(unknownUsage);
  });
});

it('[AC8] a warning and stray lines on stderr are no failure', () => {
  const lines = [
    ...started,
    { type: 'item.completed', item: { id: 'w', type: 'error', message: 'Model metadata for `x` not found.' } },
    { type: 'error', message: 'Reconnecting... 1/2 (stream disconnected)' },
    message('Yes.'),
    completed(),
  ];
  const { reply, progress } = replay(codex, lines, { stderr: '2026-01-01 ERROR codex_core: 401 unauthorized' });
  expect(reply?.text).toBe('Yes.');
  expect(progress.map(({ kind }) => kind)).toEqual(['started', 'note', 'retry']);
});

describe('[AC4, AC5] what is no success, whatever the exit code', () => {
  const turnFailed = (text: string): readonly Line[] => [
    ...started,
    { type: 'error', message: text },
    { type: 'turn.failed', error: { message: text } },
  ];
  const failures: readonly (readonly [string, readonly Line[], object, string])[] = [
    ['a refused key', turnFailed('unexpected status 401 Unauthorized: bad key'), { exitCode: 1 }, 'auth'],
    ['a missing key', turnFailed('Missing environment variable: `STUB_KEY`.'), { exitCode: 1 }, 'auth'],
    [
      'a limit',
      turnFailed('exceeded retry limit, last status: 429 Too Many Requests'),
      { exitCode: 1 },
      'rate_limited',
    ],
    ['too much to do', turnFailed("We're currently experiencing high demand"), { exitCode: 1 }, 'overloaded'],
    ['a status of the service', turnFailed('unexpected status 502'), { exitCode: 1 }, 'overloaded'],
    ['a bad request', turnFailed('unexpected status 400 Bad Request: no'), { exitCode: 1 }, 'invalid_request'],
    ['a prompt too large, on stderr', started, { exitCode: 1, stderr: 'Error: input_too_large' }, 'invalid_request'],
    ['an account without credit', turnFailed('429: insufficient_quota'), { exitCode: 1 }, 'budget_exceeded'],
    [
      'no network, for ever',
      [...started, { type: 'error', message: 'waiting for network' }],
      { exitCode: null, signal: 'SIGTERM' },
      'network',
    ],
    ['a failure of no known kind', turnFailed('something else'), { exitCode: 1 }, 'non_zero_exit'],
    ['SIGTERM', started, { exitCode: null, signal: 'SIGTERM' }, 'non_zero_exit'],
    ['exit code 0 after a message, without the end of the turn', [...started, message('Yes.')], {}, 'no_result'],
    ['a turn that ends without a message', [...started, completed()], {}, 'no_result'],
    ['a line that is cut', [...started, '{"type":"turn.compl'], {}, 'bad_output'],
  ];
  it.each(failures)('%s', (_, lines, ran, kind) => {
    const { error, reply } = replay(codex, lines, ran);
    expect(reply).toBeNull();
    expect(error?.kind).toBe(kind);
  });
});

it('[AC5] when to try again is told where the tool says so', () => {
  const lines = [
    ...started,
    { type: 'turn.failed', error: { message: 'Rate limit reached. Please try again in 1.5s.' } },
  ];
  expect(replay(codex, lines, { exitCode: 1 }).error?.details.retry_after_ms).toBe(1_500);
});
