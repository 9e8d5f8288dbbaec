// The CLIs that we could not run, from transcripts after their documentation and sources.

import { describe, expect, it } from 'vitest';
import { aider } from '../../../src/participants/clis/records/aider.ts';
import { cursor } from '../../../src/participants/clis/records/cursor.ts';
import { goose } from '../../../src/participants/clis/records/goose.ts';
import { hermes } from '../../../src/participants/clis/records/hermes.ts';
import { type Line, replay, unknownUsage } from './replay.ts';

type Failures = readonly (readonly [string, readonly Line[], object, string])[];

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

  it('[AC3, AC6] pieces are told once: what repeats them is passed over', () => {
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

  it('[AC3] messages that come whole are told whole', () => {
    expect(replay(cursor, [init, says('Hello.'), result]).deltas).toEqual(['Hello.']);
  });

  const failures: Failures = [
    ['text on stderr and no JSON', [], { exitCode: 7, stderr: 'something broke' }, 'non_zero_exit'],
    ['nobody logged in', [], { exitCode: 1, stderr: 'Error: Authentication required. Run cursor-agent login' }, 'auth'],
    ['an untrusted folder', [], { exitCode: 1, stderr: 'Workspace Trust Required' }, 'invalid_request'],
    ['a limit', [init], { exitCode: 1, stderr: 'You have hit your usage limit' }, 'rate_limited'],
    [
      'a result that is an error',
      [init, { ...result, is_error: true, result: 'Service unavailable' }],
      {},
      'overloaded',
    ],
    ['a stream that is cut', [init, says('Hel', { timestamp_ms: 1 })], {}, 'no_result'],
  ];
  it.each(failures)('[AC4, AC5] no success: %s', (_, lines, ran, kind) => {
    expect(replay(cursor, lines, ran).error?.kind).toBe(kind);
  });

  it('[AC5] the message names the tool, the exit code and both streams', () => {
    const { error } = replay(cursor, ['half a word'], { exitCode: 7, stderr: 'something broke\n' });
    expect(error?.message).toBe('cursor-agent: exitCode=7 stdout=half a word stderr=something broke');
  });
});

describe('hermes', () => {
  it('[AC3] lines are the answer, the name of the conversation is not', () => {
    const { deltas, reply } = replay(hermes, ['', 'Hello', '', 'there.', '', 'session_id: 20260101_x'], {});
    expect(deltas.join('')).toBe('Hello\n\nthere.\n');
    expect(reply).toEqual({ text: 'Hello\n\nthere.', cost_usd: null, native_session_id: '20260101_x', meta: {} });
  });

  it('[AC9] newer versions name the conversation on stderr', () => {
    expect(replay(hermes, ['Hi'], { stderr: '\nsession_id: h-2\n' }).reply?.native_session_id).toBe('h-2');
  });

  const failures: Failures = [
    ['an error on stderr', [], { exitCode: 1, stderr: 'Error: HTTP 401: invalid api key' }, 'auth'],
    ['an exit code behind an answer', ['Hello'], { exitCode: 1, stderr: 'session_id: h' }, 'non_zero_exit'],
    ['nothing said', [''], {}, 'no_result'],
    ['SIGTERM', [], { exitCode: null, signal: 'SIGTERM' }, 'non_zero_exit'],
  ];
  it.each(failures)('[AC4, AC5] no success: %s', (_, lines, ran, kind) => {
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

  it('[AC3, AC6] the answer stands between the banner and the tokens', () => {
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

  it('[AC7] without a price there is no cost', () => {
    expect(replay(aider, [...banner, '4', 'Tokens: 12 sent, 3 received.']).reply?.cost_usd).toBeNull();
  });

  const failures: Failures = [
    [
      'a refused key, exit code 0',
      [
        ...banner,
        'litellm.AuthenticationError: Incorrect API key provided',
        'The API provider is not able to authenticate you.',
      ],
      {},
      'auth',
    ],
    [
      'a limit, exit code 0',
      [...banner, 'litellm.RateLimitError: slow down', 'Retrying in 0.2 seconds...'],
      {},
      'rate_limited',
    ],
    ['no connection, exit code 0', [...banner, 'litellm.APIConnectionError: Connection error.'], {}, 'network'],
    ['an answer without its tokens', [...banner, 'Hel'], {}, 'no_result'],
    ['bad arguments', [], { exitCode: 2, stderr: 'aider: error: unrecognized arguments: --x' }, 'non_zero_exit'],
  ];
  it.each(failures)('[AC4, AC5] no success: %s', (_, lines, ran, kind) => {
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
  const asks = {
    type: 'message',
    message: {
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'toolRequest', toolCall: { value: { name: 'shell' } } }],
    },
  };
  const answers = { type: 'message', message: { role: 'user', content: [{ type: 'toolResponse' }] } };
  const complete = { type: 'complete', total_tokens: 77 };

  it('[AC3, AC6] pieces share an id; of the tokens only their number is known', () => {
    const lines = [
      says('I '),
      says('look.'),
      asks,
      answers,
      says('It is 4.', 'm2'),
      { type: 'notification' },
      complete,
    ];
    const { deltas, reply, progress } = replay(goose, lines);
    expect(deltas).toEqual(['I ', 'look.', '\n\nIt is 4.']);
    expect(progress).toEqual([{ kind: 'tool', text: 'shell' }]);
    expect(reply).toEqual({ text: 'It is 4.', cost_usd: null, meta: { total_tokens: 77 } });
    expect(reply?.usage ?? unknownUsage).toEqual(unknownUsage);
  });

  const failures: Failures = [
    [
      'an error before the end it calls complete',
      [{ type: 'error', error: 'Rate limit exceeded' }, complete],
      {},
      'rate_limited',
    ],
    ['an error of no known kind', [{ type: 'error', error: 'odd' }, complete], {}, 'bad_output'],
    ['complete, and nothing said', [complete], {}, 'no_result'],
    ['a stream that is cut', [says('Hel')], {}, 'no_result'],
    ['no provider', [], { exitCode: 1, stderr: 'error: unexpected argument' }, 'invalid_request'],
  ];
  it.each(failures)('[AC4, AC5] no success: %s', (_, lines, ran, kind) => {
    expect(replay(goose, lines, ran).error?.kind).toBe(kind);
  });
});
