// opencode, from transcripts in its format.

import { describe, expect, it } from 'vitest';
import { opencode } from '../../../src/participants/clis/records/opencode.ts';
import { type Failures, type Line, replay } from './replay.ts';

const sessionID = 'ses_1';
const start = { type: 'step_start', timestamp: 1, sessionID, part: { type: 'step-start' } };
const text = (words: string): object => ({ type: 'text', sessionID, part: { type: 'text', text: words } });
const tokens = { total: 911, input: 800, output: 11, reasoning: 0, cache: { read: 100, write: 0 } };
const finish = (reason: string, part: object = {}): object => ({
  type: 'step_finish',
  sessionID,
  part: { type: 'step-finish', reason, tokens, cost: 0.002595, ...part },
});
const tool = { type: 'tool_use', sessionID, part: { type: 'tool', tool: 'read', state: { status: 'completed' } } };

it('[AC3, AC6] sums steps; input excludes cached tokens', () => {
  const lines = [start, text('I look.'), tool, finish('tool-calls'), start, text('It is 4.'), finish('stop')];
  const { deltas, reply } = replay(opencode, lines);
  expect(deltas).toEqual(['I look.', '\n\nIt is 4.']);
  expect(reply).toEqual({
    text: 'It is 4.',
    usage: {
      input_tokens: 1600,
      cache_read_tokens: 200,
      cache_write_tokens: 0,
      output_tokens: 22,
      reasoning_tokens: 0,
    },
    cost_usd: 0.00519,
    native_session_id: sessionID,
    meta: { stop_reason: 'stop' },
  });
});

it.each([
  ['outside the output', { total: 30, input: 10, output: 15, reasoning: 5, cache: { read: 0, write: 0 } }, 20],
  ['inside the output', { total: 25, input: 10, output: 15, reasoning: 5, cache: { read: 0, write: 0 } }, 15],
])('[AC6] counts reasoning once, %s', (_, counted, output_tokens) => {
  const { reply } = replay(opencode, [start, text('4'), finish('stop', { tokens: counted })]);
  expect(reply?.usage).toMatchObject({ output_tokens, reasoning_tokens: 5 });
});

it('[AC7] has no cost without a price', () => {
  expect(replay(opencode, [start, text('4'), finish('stop', { cost: 0 })]).reply?.cost_usd).toBeNull();
});

describe('[AC4, AC5] failures', () => {
  const error = (data: object, name = 'APIError'): readonly Line[] => [
    start,
    { type: 'error', sessionID, error: { name, data } },
  ];
  const failures: Failures = [
    ['a rejected key', error({ message: 'no', statusCode: 401, isRetryable: false }), { exitCode: 1 }, 'auth'],
    ['a rate limit', error({ message: 'slow down', statusCode: 429 }), { exitCode: 1 }, 'rate_limited'],
    ['overload', error({ message: 'x', statusCode: 503 }), {}, 'overloaded'],
    [
      'no connection',
      error({ message: 'Unable to connect. Is it online?' }, 'UnknownError'),
      { exitCode: 1 },
      'network',
    ],
    ['an unknown error', error({ message: 'odd' }, 'UnknownError'), { exitCode: 1 }, 'non_zero_exit'],
    ['an exit in the middle of a step', [start, text('Hel')], {}, 'no_result'],
    ['an exit after a step with tool calls', [start, text('I look.'), tool, finish('tool-calls')], {}, 'no_result'],
    ['an exit code after an answer', [start, text('4'), finish('stop')], { exitCode: 3 }, 'non_zero_exit'],
    ['SIGTERM', [start], { exitCode: null, signal: 'SIGTERM' }, 'non_zero_exit'],
  ];
  it.each(failures)('%s', (_, lines, ran, kind) => {
    expect(replay(opencode, lines, ran).error?.kind).toBe(kind);
  });
});
