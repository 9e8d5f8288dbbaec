// Claude Code, from transcripts in its format.

import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/participants/clis/records/claude.ts';
import { type Failures, type Line, replay } from './replay.ts';

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

it('[AC3, AC6] streams an answer once, with tokens, cost and session', () => {
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

it('[AC3] takes a message that was not streamed as a whole; ignores subagents', () => {
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

it('[AC3] ignores thinking and tool input', () => {
  const other = [
    piece({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } }),
    piece({ type: 'content_block_delta', delta: { type: 'input_json_delta', partial_json: '{"a"' } }),
  ];
  expect(replay(claude, [init, begins('m1'), ...other, text('4'), result({ result: '4' })]).deltas).toEqual(['4']);
});

describe('[AC4, AC5] failures, whatever the exit code', () => {
  const fails = (api_error_status: number | null, text: string): object =>
    result({ is_error: true, api_error_status, result: text });
  const ends = (subtype: string, errors?: readonly string[]): object =>
    result({ subtype, is_error: true, result: undefined, errors });
  const exit1 = { exitCode: 1 };
  const noConnection = fails(null, 'API Error: Unable to connect (ECONNREFUSED)');
  const failures: Failures = [
    ['a rejected key', [init, fails(401, 'Failed to authenticate. API Error: 401')], exit1, 'auth'],
    ['a rate limit', [init, fails(429, 'API Error: 429')], exit1, 'rate_limited'],
    ['overload', [fails(529, 'Overloaded')], exit1, 'overloaded'],
    ['a bad request', [fails(400, 'prompt is too long')], {}, 'invalid_request'],
    ['no connection', [noConnection], exit1, 'network'],
    ['no login, on stdout', ['Not logged in · Please run /login'], exit1, 'auth'],
    [
      'too many turns',
      [init, ends('error_max_turns', ['Reached maximum number of turns (1)'])],
      exit1,
      'budget_exceeded',
    ],
    ['a spent budget', [ends('error_max_budget_usd')], exit1, 'budget_exceeded'],
    ['an unknown failure', [ends('error_during_execution')], exit1, 'non_zero_exit'],
    ['SIGTERM without output', [], { exitCode: 143 }, 'non_zero_exit'],
    ['SIGINT, exit code 0 without output', [], {}, 'no_result'],
    [
      'SIGINT, exit code 0 without answer',
      [result({ result: undefined, usage: {}, total_cost_usd: 0 })],
      {},
      'no_result',
    ],
    ['a truncated stream', streamed, {}, 'no_result'],
    ['a truncated last line', [...streamed, '{"type":"result","subtype":"succ'], {}, 'bad_output'],
    ['a blank answer', [result({ result: '  ' })], {}, 'no_result'],
    [
      'an empty answer, with "rate limit" on stderr',
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

it('[AC5] does not mistake model text about rate limits for one', () => {
  const lines = [init, begins('m1'), text('Error: 429 rate limit, overloaded, unauthorized')];
  expect(replay(claude, lines, { exitCode: 1 }).error?.kind).toBe('non_zero_exit');
});

it('[AC12] keeps partial text and session in the error', () => {
  expect(replay(claude, streamed, { exitCode: 143 }).error?.details).toMatchObject({
    tool: 'claude',
    exitCode: 143,
    partial: 'Hello there.',
    native_session_id: session,
  });
});

it('[AC12] ends the turn when the key is rejected; other retries continue', () => {
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

it('[AC3] ignores a service error that is written as a message', () => {
  const error = { ...whole('e1', { type: 'text', text: 'API Error: 500' }), is_api_error_message: true };
  const failed = result({ is_error: true, api_error_status: 500, result: 'API Error: 500' });
  const { deltas, heard } = replay(claude, [init, error, failed]);
  expect(deltas).toEqual([]);
  expect(heard.partial).toBe('');
});

describe('[AC7] total cost covers the whole session', () => {
  const resumed = { sessionId: session, threadUsage: null };
  const since = { 'claude-x': { costUSD: 0.25 }, 'claude-y': { costUSD: 0.5 } };

  it('takes the cost of the run if it is reported', () => {
    const lines = [result({ total_cost_usd: 9, model_usage_since_last_result: since })];
    expect(replay(claude, lines, {}, resumed).reply?.cost_usd).toBe(0.75);
    expect(replay(claude, lines).reply?.cost_usd).toBe(0.75);
  });

  it('does not know the cost of a resumed session otherwise', () => {
    expect(replay(claude, [result({ total_cost_usd: 9 })], {}, resumed).reply?.cost_usd).toBeNull();
  });
});

it('[AC6] counts thinking as part of the output', () => {
  const lines = [result({ usage: { ...usage, output_tokens_details: { thinking_tokens: 4 } } })];
  expect(replay(claude, lines).reply?.usage).toMatchObject({ output_tokens: 11, reasoning_tokens: 4 });
});

it('[AC7] treats a price of 0 as unknown, and reports denied tools', () => {
  const { reply } = replay(claude, [result({ total_cost_usd: 0, permission_denials: [{ tool_name: 'Write' }] })]);
  expect(reply?.cost_usd).toBeNull();
  expect(reply?.meta).toMatchObject({ permission_denials: 1 });
});

it('[AC8] ignores other lines and unknown event types', () => {
  const unknown = ['warning: something', '', '[1,2]', 'null', { type: 'tomorrow', session_id: 7 }, { no: 'type' }];
  const lines = [...unknown, ...streamed, result()];
  expect(replay(claude, lines).reply?.text).toBe('Hello there.');
});
