// The CLIs we could not run, from transcripts based on their documentation and sources.

import { describe, expect, it } from 'vitest';
import { aider } from '../../../src/participants/clis/records/aider.ts';
import { cursor } from '../../../src/participants/clis/records/cursor.ts';
import { goose } from '../../../src/participants/clis/records/goose.ts';
import { hermes } from '../../../src/participants/clis/records/hermes.ts';
import { type Failures, replay, unknownUsage } from './replay.ts';

describe('cursor-agent', () => {
  const session_id = 'c-1';
  const init = { type: 'system', subtype: 'init', session_id, model: 'auto', cwd: '/w', permissionMode: 'default' };
  const says = (text: string, extra: object = {}): object => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id,
    ...extra,
  });
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Hello.', session_id, request_id: 'r' };
  const usage = { inputTokens: 5, outputTokens: 6, cacheReadTokens: 7, cacheWriteTokens: 8 };

  it('[AC3, AC6] streams deltas once, without the repeated message', () => {
    const lines = [
      init,
      { type: 'thinking', text: 'hm' },
      says('I ', { timestamp_ms: 1 }),
      says('look.', { timestamp_ms: 2 }),
      says('I look.', { timestamp_ms: 3, model_call_id: 'm' }),
      { type: 'tool_call', subtype: 'started', call_id: '1', tool_call: { shellToolCall: { args: {} } } },
      { type: 'tool_call', subtype: 'completed', call_id: '1', tool_call: { shellToolCall: { result: {} } } },
      says('Hello.', { timestamp_ms: 4 }),
      says('Hello.'),
      { ...result, usage },
    ];
    const { deltas, reply, progress } = replay(cursor, lines);
    expect(deltas).toEqual(['I ', 'look.', '\n\nHello.']);
    expect(progress.at(-1)).toEqual({ kind: 'tool', text: 'shell' });
    expect(reply).toEqual({
      text: 'Hello.',
      usage: { input_tokens: 5, cache_read_tokens: 7, cache_write_tokens: 8, output_tokens: 6, reasoning_tokens: null },
      cost_usd: null,
      native_session_id: session_id,
      meta: {},
    });
  });

  it('[AC3] takes whole messages', () => {
    expect(replay(cursor, [init, says('Hello.'), result]).deltas).toEqual(['Hello.']);
  });

  const failures: Failures = [
    ['text on stderr and no JSON', [], { exitCode: 7, stderr: 'something broke' }, 'non_zero_exit'],
    ['no login', [], { exitCode: 1, stderr: 'Error: Authentication required. Run cursor-agent login' }, 'auth'],
    ['an untrusted folder', [], { exitCode: 1, stderr: 'Workspace Trust Required' }, 'invalid_request'],
    ['a limit', [init], { exitCode: 1, stderr: 'You have hit your usage limit' }, 'rate_limited'],
    ['an error result', [init, { ...result, is_error: true, result: 'Service unavailable' }], {}, 'overloaded'],
    ['a truncated stream', [init, says('Hel', { timestamp_ms: 1 })], {}, 'no_result'],
  ];
  it.each(failures)('[AC4, AC5] fails: %s', (_, lines, ran, kind) => {
    expect(replay(cursor, lines, ran).error?.kind).toBe(kind);
  });

  it('[AC5] names the tool, the exit code and both streams in the error', () => {
    const { error } = replay(cursor, ['half a word'], { exitCode: 7, stderr: 'something broke\n' });
    expect(error?.message).toBe('cursor-agent: exitCode=7 stdout=half a word stderr=something broke');
  });
});

describe('hermes', () => {
  it('[AC3] takes lines as the answer, without the session id', () => {
    const { deltas, reply } = replay(hermes, ['', 'Hello', '', 'there.', '', 'session_id: 20260101_x'], {});
    expect(deltas.join('')).toBe('Hello\n\nthere.\n');
    expect(reply).toEqual({ text: 'Hello\n\nthere.', cost_usd: null, native_session_id: '20260101_x', meta: {} });
  });

  it('[AC9] reads the session id from stderr in newer versions', () => {
    expect(replay(hermes, ['Hi'], { stderr: '\nsession_id: h-2\n' }).reply?.native_session_id).toBe('h-2');
  });

  const failures: Failures = [
    ['an error on stderr', [], { exitCode: 1, stderr: 'Error: HTTP 401: invalid api key' }, 'auth'],
    ['an exit code after an answer', ['Hello'], { exitCode: 1, stderr: 'session_id: h' }, 'non_zero_exit'],
    ['no output', [''], {}, 'no_result'],
    ['SIGTERM', [], { exitCode: null, signal: 'SIGTERM' }, 'non_zero_exit'],
  ];
  it.each(failures)('[AC4, AC5] fails: %s', (_, lines, ran, kind) => {
    expect(replay(hermes, lines, ran).error?.kind).toBe(kind);
  });
});

describe('aider', () => {
  const banner = [
    'Aider v0.86.1',
    'Main model: gpt-x with diff edit format',
    'Git repo: .git with 3 files',
    'Repo-map: using 1k tokens',
    '',
  ];

  it('[AC3, AC6] takes the text between banner and tokens as the answer', () => {
    const tokens =
      'Tokens: 1.2k sent, 100 cache write, 300 cache hit, 34 received. Cost: $0.0012 message, $0.0034 session.';
    const { reply } = replay(aider, [...banner, 'It is 4.', '', 'Really.', '', tokens, 'Applied edit to a.txt'], {});
    expect(reply).toEqual({
      text: 'It is 4.\n\nReally.',
      usage: {
        input_tokens: 800,
        cache_read_tokens: 300,
        cache_write_tokens: 100,
        output_tokens: 34,
        reasoning_tokens: null,
      },
      cost_usd: 0.0012,
      meta: { is_usage_rounded: true },
    });
  });

  it('[AC7] has no cost without a price', () => {
    expect(replay(aider, [...banner, '4', 'Tokens: 12 sent, 3 received.']).reply?.cost_usd).toBeNull();
  });

  const AUTH_ERROR = 'litellm.AuthenticationError: Incorrect API key provided';
  const failures: Failures = [
    [
      'a rejected key, exit code 0',
      [...banner, AUTH_ERROR, 'The API provider is not able to authenticate you.'],
      {},
      'auth',
    ],
    [
      'a rate limit, exit code 0',
      [...banner, 'litellm.RateLimitError: slow down', 'Retrying in 0.2 seconds...'],
      {},
      'rate_limited',
    ],
    ['no connection, exit code 0', [...banner, 'litellm.APIConnectionError: Connection error.'], {}, 'network'],
    ['an answer without its tokens', [...banner, 'Hel'], {}, 'no_result'],
    ['bad arguments', [], { exitCode: 2, stderr: 'aider: error: unrecognized arguments: --x' }, 'non_zero_exit'],
  ];
  it.each(failures)('[AC4, AC5] fails: %s', (_, lines, ran, kind) => {
    const { error, deltas } = replay(aider, lines, ran);
    expect(error?.kind).toBe(kind);
    expect(deltas.join('')).not.toMatch(/litellm/);
  });
});

describe('goose', () => {
  const says = (text: string, id = 'm1'): object => ({
    type: 'message',
    message: { id, role: 'assistant', content: [{ type: 'text', text }] },
  });
  const toolRequest = { type: 'toolRequest', toolCall: { value: { name: 'shell' } } };
  const asks = { type: 'message', message: { id: 'm1', role: 'assistant', content: [toolRequest] } };
  const answers = { type: 'message', message: { role: 'user', content: [{ type: 'toolResponse' }] } };
  const complete = { type: 'complete', total_tokens: 77 };

  it('[AC3, AC6] joins messages by id and reports the total tokens', () => {
    const notification = { type: 'notification' };
    const lines = [says('I '), says('look.'), asks, answers, says('It is 4.', 'm2'), notification, complete];
    const { deltas, reply, progress } = replay(goose, lines);
    expect(deltas).toEqual(['I ', 'look.', '\n\nIt is 4.']);
    expect(progress).toEqual([{ kind: 'tool', text: 'shell' }]);
    expect(reply).toEqual({ text: 'It is 4.', cost_usd: null, meta: { total_tokens: 77 } });
    expect(reply?.usage ?? unknownUsage).toEqual(unknownUsage);
  });

  const failures: Failures = [
    ['an error before `complete`', [{ type: 'error', error: 'Rate limit exceeded' }, complete], {}, 'rate_limited'],
    ['an unknown error', [{ type: 'error', error: 'odd' }, complete], {}, 'bad_output'],
    ['complete without text', [complete], {}, 'no_result'],
    ['a truncated stream', [says('Hel')], {}, 'no_result'],
    ['no provider', [], { exitCode: 1, stderr: 'error: unexpected argument' }, 'invalid_request'],
  ];
  it.each(failures)('[AC4, AC5] fails: %s', (_, lines, ran, kind) => {
    expect(replay(goose, lines, ran).error?.kind).toBe(kind);
  });
});
