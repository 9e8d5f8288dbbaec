// Claude Code, from transcripts in the shapes it writes.

import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/participants/clis/records/claude.ts';
import { type Line, replay } from './replay.ts';

const session = '5f6c2c1e-0b0e-4f0e-9b1e-2f6f0f0e0d0c';
const init = { type: 'system', subtype: 'init', cwd: '/w', session_id: session, tools: [], model: 'claude-sonnet-4-5' };
const piece = (event: object, extra: object = {}): object => ({
  type: 'stream_event',
  event,
  session_id: session,
  parent_tool_use_id: null,
  ...extra,
});
const begins = (id: string): object => piece({ type: 'message_start', message: { id, usage: { output_tokens: 1 } } });
const text = (words: string): object =>
  piece({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: words } });
const whole = (id: string, ...content: readonly object[]): object => ({
  type: 'assistant',
  message: { id, role: 'assistant', content, usage: { output_tokens: 1 } },
  parent_tool_use_id: null,
  session_id: session,
});
const usage = {
  input_tokens: 7,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 300,
  output_tokens: 11,
  server_tool_use: { web_search_requests: 0 },
};
const result = (fields: object = {}): object => ({
  duration_ms: 1200,
  type: 'result',
  subtype: 'success',
  is_error: false,
  api_error_status: null,
  num_turns: 1,
  result: 'Hello there.',
  stop_reason: 'end_turn',
  session_id: session,
  total_cost_usd: 0.0123,
  usage,
  modelUsage: {},
  permission_denials: [],
  ...fields,
});
const streamed: readonly Line[] = [
  init,
  begins('m1'),
  text('Hello '),
  text('there.'),
  whole('m1', { type: 'text', text: 'Hello there.' }),
];

it('[AC3, AC6] a streamed answer is told piece by piece, once, with tokens, cost and conversation', () => {
  const { deltas, reply, progress } = replay(claude, [...streamed, result()]);
  expect(deltas).toEqual(['Hello ', 'there.']);
  expect(progress).toEqual([{ kind: 'started', text: 'claude-sonnet-4-5' }]);
  expect(reply).toEqual({
    text: 'Hello there.',
    usage: {
      input_tokens: 7,
      cache_read_tokens: 300,
      cache_write_tokens: 20,
      output_tokens: 11,
      reasoning_tokens: null,
    },
    cost_usd: 0.0123,
    native_session_id: session,
    meta: { model: 'claude-sonnet-4-5', stop_reason: 'end_turn' },
  });
});

it('[AC3] a message that was not streamed is told whole; a helper of its own is not heard', () => {
  const helper = { ...whole('m9', { type: 'text', text: 'psst' }), parent_tool_use_id: 'toolu_1' };
  const lines = [
    init,
    whole('m1', { type: 'text', text: 'Let me look.' }, { type: 'tool_use', name: 'Read', input: {} }),
    helper,
    piece(
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'psst' } },
      { parent_tool_use_id: 'toolu_1' },
    ),
    whole('m2', { type: 'text', text: 'It is 4.' }),
    result({ result: 'It is 4.' }),
  ];
  const { deltas, reply, progress } = replay(claude, lines);
  expect(deltas).toEqual(['Let me look.', '\n\nIt is 4.']);
  expect(progress.at(-1)).toEqual({ kind: 'tool', text: 'Read' });
  expect(reply?.text).toBe('It is 4.');
});

it('[AC3] thinking and the input of tools are no answer', () => {
  const other = [
    piece({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } }),
    piece({ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a"' } }),
  ];
  expect(replay(claude, [init, begins('m1'), ...other, text('4'), result({ result: '4' })]).deltas).toEqual(['4']);
});

describe('[AC4, AC5] what is no success, whatever the exit code', () => {
  const failures: readonly (readonly [string, readonly Line[], object, string])[] = [
    [
      'a refused key',
      [init, result({ is_error: true, api_error_status: 401, result: 'Failed to authenticate. API Error: 401' })],
      { exitCode: 1 },
      'auth',
    ],
    [
      'a limit',
      [init, result({ is_error: true, api_error_status: 429, result: 'API Error: 429' })],
      { exitCode: 1 },
      'rate_limited',
    ],
    [
      'too much to do',
      [result({ is_error: true, api_error_status: 529, result: 'Overloaded' })],
      { exitCode: 1 },
      'overloaded',
    ],
    [
      'a bad request',
      [result({ is_error: true, api_error_status: 400, result: 'prompt is too long' })],
      {},
      'invalid_request',
    ],
    [
      'no connection',
      [result({ is_error: true, api_error_status: null, result: 'API Error: Unable to connect (ECONNREFUSED)' })],
      { exitCode: 1 },
      'network',
    ],
    ['nobody logged in, on stdout', ['Not logged in · Please run /login'], { exitCode: 1 }, 'auth'],
    [
      'too many turns',
      [
        init,
        result({
          subtype: 'error_max_turns',
          is_error: true,
          result: undefined,
          errors: ['Reached maximum number of turns (1)'],
        }),
      ],
      { exitCode: 1 },
      'budget_exceeded',
    ],
    [
      'a spent budget',
      [result({ subtype: 'error_max_budget_usd', is_error: true, result: undefined })],
      { exitCode: 1 },
      'budget_exceeded',
    ],
    [
      'an unknown failure',
      [result({ subtype: 'error_during_execution', is_error: true, result: undefined })],
      { exitCode: 1 },
      'non_zero_exit',
    ],
    ['SIGTERM without a word', [], { exitCode: 143 }, 'non_zero_exit'],
    ['SIGINT, exit code 0 and nothing', [], {}, 'no_result'],
    [
      'SIGINT, exit code 0 and a result without an answer',
      [result({ result: undefined, usage: {}, total_cost_usd: 0 })],
      {},
      'no_result',
    ],
    ['a stream that is cut', streamed, {}, 'no_result'],
    ['a last line that is cut', [...streamed, '{"type":"result","subtype":"succ'], {}, 'bad_output'],
    ['a blank answer', [result({ result: '  ' })], {}, 'no_result'],
    [
      'a blank answer, and a word of a limit beside it',
      [result({ result: '' })],
      { stderr: 'rate limit: 90% left' },
      'no_result',
    ],
  ];
  it.each(failures)('%s', (_, lines, ran, kind) => {
    const { error, reply } = replay(claude, lines, ran);
    expect(reply).toBeNull();
    expect(error?.kind).toBe(kind);
    expect(error?.message).toMatch(/^claude: /);
  });
});

it('[AC5] a model that talks of rate limits is not rate limited', () => {
  const { error } = replay(claude, [init, begins('m1'), text('Error: 429 rate limit, overloaded, unauthorized')], {
    exitCode: 1,
  });
  expect(error?.kind).toBe('non_zero_exit');
});

it('[AC12] what it had said and the conversation are kept in the error', () => {
  expect(replay(claude, streamed, { exitCode: 143 }).error?.details).toMatchObject({
    tool: 'claude',
    exitCode: 143,
    partial: 'Hello there.',
    native_session_id: session,
  });
});

it('[AC12] a key that is refused ends the turn at once, other tries go on', () => {
  const retry = (error_status: number): object => ({
    type: 'system',
    subtype: 'api_retry',
    attempt: 1,
    max_retries: 4,
    retry_delay_ms: 500,
    error_status,
    error: 'some_error',
  });
  expect(replay(claude, [init, retry(401)]).heard.failure?.kind).toBe('auth');
  const { heard, progress } = replay(claude, [init, retry(529)]);
  expect(heard.failure).toBeNull();
  expect(progress.at(-1)).toEqual({ kind: 'retry', text: 'try 1 of 4: 529 some_error' });
});

it('[AC3] an error that it writes down as if the model had said it is no text', () => {
  const error = { ...whole('e1', { type: 'text', text: 'API Error: 500' }), is_api_error_message: true };
  const { deltas, heard } = replay(claude, [
    init,
    error,
    result({ is_error: true, api_error_status: 500, result: 'API Error: 500' }),
  ]);
  expect(deltas).toEqual([]);
  expect(heard.partial).toBe('');
});

describe('[AC7] its total is that of the whole conversation', () => {
  const resumed = { sessionId: session, threadUsage: null };
  const since = { 'claude-x': { costUSD: 0.25 }, 'claude-y': { costUSD: 0.5 } };

  it('what the run cost is taken where it is told', () => {
    const lines = [result({ total_cost_usd: 9, model_usage_since_last_result: since })];
    expect(replay(claude, lines, {}, resumed).reply?.cost_usd).toBe(0.75);
    expect(replay(claude, lines).reply?.cost_usd).toBe(0.75);
  });

  it('a conversation that goes on has an unknown cost otherwise', () => {
    expect(replay(claude, [result({ total_cost_usd: 9 })], {}, resumed).reply?.cost_usd).toBeNull();
  });
});

it('[AC6] thinking is a part of the output', () => {
  const lines = [result({ usage: { ...usage, output_tokens_details: { thinking_tokens: 4 } } })];
  expect(replay(claude, lines).reply?.usage).toMatchObject({ output_tokens: 11, reasoning_tokens: 4 });
});

it('[AC7] a price of 0 is no price, and a denied tool is told', () => {
  const { reply } = replay(claude, [result({ total_cost_usd: 0, permission_denials: [{ tool_name: 'Write' }] })]);
  expect(reply?.cost_usd).toBeNull();
  expect(reply?.meta).toMatchObject({ permission_denials: 1 });
});

it('[AC8] lines that are no events and types of tomorrow are passed over', () => {
  const lines = [
    'warning: something',
    '',
    '[1,2]',
    'null',
    { type: 'tomorrow', session_id: 7 },
    { no: 'type' },
    ...streamed,
    result(),
  ];
  expect(replay(claude, lines).reply?.text).toBe('Hello there.');
});
