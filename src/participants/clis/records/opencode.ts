/** opencode: `opencode run --format json`. It has no final event: steps add up until it exits. */

import type { Usage } from '../../agent/agent-fn.ts';
import { countAt, numberAt, textAt } from '../../lib/read-json.ts';
import {
  appendText,
  type CliOutput,
  EMPTY_OUTPUT,
  type Event,
  nextMessage,
  type ParsedLine,
  readingEvents,
  withFailure,
  withProgress,
} from '../output/cli-output.ts';
import { kindOfStatus, kindOfText } from '../output/failure-kind.ts';
import { addUsage, costOf, sum } from '../output/tokens.ts';
import type { CliRecord } from './cli-record.ts';

export const opencode: CliRecord = {
  tool: 'opencode',
  ending: 'exit',
  command: 'opencode',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, extra }) => [
    'run',
    '--format',
    'json',
    // Without a title, opencode asks a model for one.
    ...(resume === undefined ? ['--title', 'parley'] : ['-s', resume]),
    ...(model === undefined ? [] : ['-m', model]),
    ...extra,
  ],
  permits: {
    // By default, opencode allows everything.
    safe: { env: { OPENCODE_PERMISSION: '{"edit":"deny","bash":"deny"}' } },
    write: { env: { OPENCODE_PERMISSION: '{"edit":"allow","bash":"deny"}' } },
    full: { args: ['--auto'] },
  },
  env: {
    pass: [
      'OPENCODE_CONFIG',
      'OPENCODE_CONFIG_CONTENT',
      'OPENCODE_DISABLE_MODELS_FETCH',
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'OPENROUTER_API_KEY',
      'GEMINI_API_KEY',
    ],
    home: ['OPENCODE_CONFIG_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
    set: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
  },
  resume: { unknownSession: /session not found/i, namedBy: 'tool' },
  begin: () => EMPTY_OUTPUT,
  read: readingEvents(readEvent),
  isRunForReal: true,
};

function readEvent(event: Event, before: CliOutput): ParsedLine {
  const state = { ...before, sessionId: textAt(event, 'sessionID') ?? before.sessionId };
  switch (event.type) {
    case 'step_start':
      return { state: nextMessage({ ...state, isDone: false }) };
    case 'text':
      return appendText(state, textAt(event, 'part', 'text') ?? '');
    case 'tool_use':
      return withProgress(nextMessage(state), 'tool', textAt(event, 'part', 'tool') ?? 'a tool');
    case 'step_finish':
      return { state: stepFinished(event, state) };
    case 'error':
      return { state: readError(event, state) };
    default:
      return { state };
  }
}

function stepFinished(event: Event, state: CliOutput): CliOutput {
  const cost = costOf(numberAt(event, 'part', 'cost'));
  const reason = textAt(event, 'part', 'reason');
  return {
    ...state,
    usage: addUsage(state.usage, usageOf(event)),
    costUsd: sum(state.costUsd, cost),
    // A step that ends in tool calls is followed by another.
    isDone: reason !== 'tool-calls',
    answer: state.message,
    meta: { ...state.meta, ...(reason === null ? {} : { stop_reason: reason }) },
  };
}

/** The input excludes cached tokens; the total shows whether the output includes reasoning. */
function usageOf(event: Event): Usage {
  const [input, output, reasoning] = ['input', 'output', 'reasoning'].map((name) =>
    countAt(event, 'part', 'tokens', name),
  );
  const read = countAt(event, 'part', 'tokens', 'cache', 'read');
  const write = countAt(event, 'part', 'tokens', 'cache', 'write');
  const total = countAt(event, 'part', 'tokens', 'total');
  const isIncluded = total !== null && total === sum(input ?? null, output ?? null, read, write);
  return {
    input_tokens: input ?? null,
    cache_read_tokens: read,
    cache_write_tokens: write,
    output_tokens: output == null ? null : isIncluded ? output : sum(output, reasoning ?? null),
    reasoning_tokens: reasoning ?? null,
  };
}

function readError(event: Event, state: CliOutput): CliOutput {
  const name = textAt(event, 'error', 'name') ?? 'error';
  const message = `${name}: ${textAt(event, 'error', 'data', 'message') ?? textAt(event, 'error', 'message') ?? ''}`;
  const status = numberAt(event, 'error', 'data', 'statusCode');
  const kind = (status === null ? null : kindOfStatus(status)) ?? kindOfText(message);
  return withFailure({ ...state, isDone: true }, kind, message);
}
