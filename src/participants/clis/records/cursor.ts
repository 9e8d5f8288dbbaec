/** Cursor: `cursor-agent -p` with stream-json. On failure it writes no JSON, only text on stderr. */

import { countAt, listAt, textAt } from '../../lib/read-json.ts';
import {
  appendText,
  type CliOutput,
  EMPTY_OUTPUT,
  type Event,
  nextMessage,
  type ParsedLine,
  readingEvents,
  textOfBlocks,
  withFailure,
  withProgress,
} from '../output/cli-output.ts';
import { kindOfText } from '../output/failure-kind.ts';
import type { CliRecord } from './cli-record.ts';

export const cursor: CliRecord = {
  tool: 'cursor-agent',
  ending: 'event',
  command: 'cursor-agent',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, extra }) => [
    '-p',
    // In headless mode, cursor-agent rejects untrusted folders.
    '--trust',
    '--output-format',
    'stream-json',
    '--stream-partial-output',
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  permits: {
    // With -p, cursor-agent may write, except in mode `ask`.
    safe: { args: ['--mode', 'ask'] },
    write: { args: ['--force', '--sandbox', 'enabled'] },
    full: { args: ['--force', '--sandbox', 'disabled'] },
  },
  env: { pass: ['CURSOR_API_KEY'], home: ['CURSOR_CONFIG_DIR'], set: {} },
  resume: { unknownSession: /(session|chat|conversation).{0,80}(not found|does not exist|unknown)/i, namedBy: 'tool' },
  begin: () => EMPTY_OUTPUT,
  read: readingEvents(readEvent),
  isRunForReal: false,
};

function readEvent(event: Event, before: CliOutput): ParsedLine {
  const state = { ...before, sessionId: textAt(event, 'session_id') ?? before.sessionId };
  switch (event.type) {
    case 'system':
      return event.subtype === 'init' ? withProgress(state, 'started', textAt(event, 'model') ?? 'cursor') : { state };
    case 'assistant':
      return readMessage(event, state);
    case 'tool_call':
      return event.subtype === 'started' ? withProgress(nextMessage(state), 'tool', toolOf(event)) : { state };
    case 'result':
      return { state: readResult(event, state) };
    default:
      return { state };
  }
}

/** Deltas have a time stamp; the repeated whole message has none, or has a model call id. */
function readMessage(event: Event, state: CliOutput): ParsedLine {
  const text = textOfBlocks(listAt(event, 'message', 'content'));
  const isPiece = event.timestamp_ms !== undefined && event.model_call_id === undefined;
  if (isPiece) return appendText(state, text);
  const isRepeated = !state.isBetween && text.trim() === state.message.trim();
  return isRepeated ? { state: nextMessage(state) } : appendText(nextMessage(state), text);
}

function toolOf(event: Event): string {
  const call = event.tool_call;
  const [name] = typeof call === 'object' && call !== null ? Object.keys(call) : [];
  return name?.replace(/ToolCall$/, '') ?? 'a tool';
}

function readResult(event: Event, state: CliOutput): CliOutput {
  const answer = textAt(event, 'result');
  const isWell = event.is_error !== true && textAt(event, 'subtype') === 'success';
  const ended: CliOutput = {
    ...state,
    isDone: true,
    answer,
    usage: {
      input_tokens: countAt(event, 'usage', 'inputTokens'),
      cache_read_tokens: countAt(event, 'usage', 'cacheReadTokens'),
      cache_write_tokens: countAt(event, 'usage', 'cacheWriteTokens'),
      output_tokens: countAt(event, 'usage', 'outputTokens'),
      reasoning_tokens: null,
    },
  };
  if (isWell) return { ...ended, failure: null };
  const message = answer ?? textAt(event, 'subtype') ?? 'the result is not a success';
  return withFailure(ended, kindOfText(message), message);
}
