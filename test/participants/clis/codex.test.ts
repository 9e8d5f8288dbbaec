// Codex, from transcripts in its format.

import { describe, expect, it } from 'vitest';
import { codex } from '../../../src/participants/clis/records/codex.ts';
import { type Failures, type Line, replay, unknownUsage } from './replay.ts';

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

it('[AC3, AC6] takes the last message as answer, with tokens in disjoint classes and no cost', () => {
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

it('[AC3] streams a growing message', () => {
  const lines = [message('He', 'i', 'item.started'), message('Hello', 'i', 'item.updated'), message('Hello.', 'i')];
  const { deltas, reply } = replay(codex, [...started, ...lines, completed()]);
  expect(deltas).toEqual(['He', 'llo', '.']);
  expect(reply?.text).toBe('Hello.');
});

it('[AC3] takes a rewritten message as answer, without streaming it twice', () => {
  const lines = [message('Helo', 'i', 'item.updated'), message('Hello.', 'i')];
  const { deltas, reply } = replay(codex, [...started, ...lines, completed()]);
  expect(deltas).toEqual(['Helo']);
  expect(reply?.text).toBe('Hello.');
});

describe('[AC6] tokens are counted per thread', () => {
  const lines = (times: number): readonly Line[] => [...started, message('Yes.'), completed(times)];

  it('a resumed turn used the difference', () => {
    const first = replay(codex, lines(1));
    const second = replay(codex, lines(2), {}, { sessionId: thread, threadUsage: first.heard.threadUsage });
    const third = replay(codex, lines(3), {}, { sessionId: thread, threadUsage: second.heard.threadUsage });
    expect([first, second, third].map(({ reply }) => reply?.usage)).toEqual([ofOneTurn, ofOneTurn, ofOneTurn]);
  });

  it('the usage of a thread begun elsewhere is unknown', () => {
    expect(replay(codex, lines(2), {}, { sessionId: thread, threadUsage: null }).reply?.usage).toEqual(unknownUsage);
  });

  it('takes the whole count of another thread, or after a restarted count', () => {
    const before = { ...ofOneTurn, output_tokens: 9_999 };
    expect(replay(codex, lines(1), {}, { sessionId: 'other', threadUsage: ofOneTurn }).reply?.usage).toEqual(ofOneTurn);
    expect(replay(codex, lines(1), {}, { sessionId: thread, threadUsage: before }).reply?.usage).toEqual(ofOneTurn);
  });

  it('unreported tokens stay unknown', () => {
    const bare = [...started, message('Yes.'), { type: 'turn.completed' }];
    expect(replay(codex, bare).reply?.usage).toEqual(unknownUsage);
  });
});

it('[AC8] warnings and stray lines on stderr are no failure', () => {
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

describe('[AC4, AC5] failures, whatever the exit code', () => {
  const exit1 = { exitCode: 1 };
  const turnFailed = (text: string): readonly Line[] => [
    ...started,
    { type: 'error', message: text },
    { type: 'turn.failed', error: { message: text } },
  ];
  const sigterm = { exitCode: null, signal: 'SIGTERM' };
  const failures: Failures = [
    ['a rejected key', turnFailed('unexpected status 401 Unauthorized: bad key'), exit1, 'auth'],
    ['a missing key', turnFailed('Missing environment variable: `STUB_KEY`.'), exit1, 'auth'],
    ['a rate limit', turnFailed('exceeded retry limit, last status: 429 Too Many Requests'), exit1, 'rate_limited'],
    ['overload', turnFailed("We're currently experiencing high demand"), exit1, 'overloaded'],
    ['a status of the service', turnFailed('unexpected status 502'), exit1, 'overloaded'],
    ['a bad request', turnFailed('unexpected status 400 Bad Request: no'), exit1, 'invalid_request'],
    ['a prompt too large, on stderr', started, { exitCode: 1, stderr: 'Error: input_too_large' }, 'invalid_request'],
    ['an account without credit', turnFailed('429: insufficient_quota'), exit1, 'budget_exceeded'],
    [
      'waiting for a network forever',
      [...started, { type: 'error', message: 'waiting for network' }],
      sigterm,
      'network',
    ],
    ['an unknown failure', turnFailed('something else'), exit1, 'non_zero_exit'],
    ['SIGTERM', started, sigterm, 'non_zero_exit'],
    ['exit code 0 after a message, without the end of the turn', [...started, message('Yes.')], {}, 'no_result'],
    ['a turn that ends without a message', [...started, completed()], {}, 'no_result'],
    ['a truncated line', [...started, '{"type":"turn.compl'], {}, 'bad_output'],
  ];
  it.each(failures)('%s', (_, lines, ran, kind) => {
    const { error, reply } = replay(codex, lines, ran);
    expect(reply).toBeNull();
    expect(error?.kind).toBe(kind);
  });
});

it('[AC5] reports the retry time a tool names', () => {
  const message = 'Rate limit reached. Please try again in 1.5s.';
  const lines = [...started, { type: 'turn.failed', error: { message } }];
  expect(replay(codex, lines, { exitCode: 1 }).error?.details.retry_after_ms).toBe(1_500);
});
