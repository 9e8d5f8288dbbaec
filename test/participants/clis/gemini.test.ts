// Gemini, from transcripts in its format.

import { describe, expect, it } from 'vitest';
import { gemini } from '../../../src/participants/clis/records/gemini.ts';
import { type Failures, type Line, replay, unknownUsage } from './replay.ts';

const init = { type: 'init', session_id: 'g-1', model: 'gemini-2.5-flash', timestamp: '2026-01-01T00:00:00Z' };
const user = { type: 'message', role: 'user', content: 'the prompt' };
const piece = (content: string): object => ({ type: 'message', role: 'assistant', content, delta: true });
const stats = {
  total_tokens: 130,
  input_tokens: 100,
  output_tokens: 20,
  cached: 60,
  input: 40,
  duration_ms: 9,
  tool_calls: 0,
};
const well = { type: 'result', status: 'success', stats };

it('[AC3, AC6] joins deltas to the answer; input includes cached tokens', () => {
  const { deltas, reply } = replay(gemini, [init, user, piece('Hel'), piece('lo'), well]);
  expect(deltas).toEqual(['Hel', 'lo']);
  expect(reply).toEqual({
    text: 'Hello',
    usage: { ...unknownUsage, input_tokens: 40, cache_read_tokens: 60, output_tokens: 20 },
    cost_usd: null,
    native_session_id: 'g-1',
    meta: { total_tokens: 130 },
  });
});

it('[AC6] sums models and counts thoughts as output', () => {
  const tokens = { input: 40, prompt: 100, candidates: 20, total: 125, cached: 60, thoughts: 5, tool: 0 };
  const models = { 'gemini-a': { api: { totalRequests: 1 }, tokens }, 'gemini-b': { tokens } };
  const { reply } = replay(gemini, [init, piece('Hello'), { ...well, stats: { models } }]);
  expect(reply?.usage).toEqual({
    input_tokens: 80,
    cache_read_tokens: 120,
    cache_write_tokens: null,
    output_tokens: 50,
    reasoning_tokens: 10,
  });
});

it('[AC3] takes the text after a tool as answer, and streams the text before it too', () => {
  const tool = [
    { type: 'tool_use', tool_name: 'read_file', tool_id: '1' },
    { type: 'tool_result', tool_id: '1' },
  ];
  const { deltas, reply, progress } = replay(gemini, [init, piece('I look.'), ...tool, piece('It is 4.'), well]);
  expect(deltas).toEqual(['I look.', '\n\nIt is 4.']);
  expect(progress.at(-1)).toEqual({ kind: 'tool', text: 'read_file' });
  expect(reply?.text).toBe('It is 4.');
});

it('[AC8] noise on both streams is no failure', () => {
  const lines = [
    'Loaded cached credentials.',
    init,
    { type: 'error', severity: 'warning', message: 'loop' },
    piece('Yes'),
    well,
  ];
  expect(replay(gemini, lines, { stderr: 'Error: 429 somewhere\n' }).reply?.text).toBe('Yes');
});

describe('[AC4, AC5] failures', () => {
  const bad = (error: object): readonly Line[] => [init, { type: 'result', status: 'error', error, stats }];
  const failures: Failures = [
    ['exit code 41', [], { exitCode: 41, stderr: 'Invalid auth method selected.' }, 'auth'],
    ['exit code 42', [], { exitCode: 42 }, 'invalid_request'],
    ['exit code 53, the turn limit', [init], { exitCode: 53 }, 'budget_exceeded'],
    ['exit code 55, an untrusted folder', [], { exitCode: 55 }, 'invalid_request'],
    ['a status in the result', bad({ type: 'Error', message: 'no', code: 429 }), { exitCode: 1 }, 'rate_limited'],
    ['an exit code in the result', bad({ type: 'FatalAuthenticationError', message: 'no', code: 41 }), {}, 'auth'],
    ['text in the result', bad({ type: 'Error', message: '[API Error: UNAVAILABLE]' }), { exitCode: 1 }, 'overloaded'],
    ['text on stderr', [init], { exitCode: 1, stderr: '{"error":{"status":"RESOURCE_EXHAUSTED"}}' }, 'rate_limited'],
    ['no connection, on stderr', [init], { exitCode: 1, stderr: 'TypeError: fetch failed' }, 'network'],
    ['an unknown failure', [init], { exitCode: 1, stderr: 'boom' }, 'non_zero_exit'],
    ['a truncated stream', [init, piece('Hel')], {}, 'no_result'],
    ['SIGTERM', [init, piece('Hel')], { exitCode: null, signal: 'SIGTERM' }, 'non_zero_exit'],
  ];
  it.each(failures)('%s', (_, lines, ran, kind) => {
    expect(replay(gemini, lines, ran).error?.kind).toBe(kind);
  });
});
