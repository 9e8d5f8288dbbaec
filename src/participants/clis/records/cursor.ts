/** Cursor: `cursor-agent -p` with stream-json. When it fails it writes no JSON at all, only text on stderr. */

import type { CliRecord } from './cli-record.ts';
import { conclude } from '../output/finish-turn.ts';
import { type Event, listAt, readingEvents, textAt, textOfBlocks } from '../output/event-line.ts';
import { kindOfText } from '../output/failure-kind.ts';
import { failed, type Heard, nextMessage, nothingHeard, progressed, type Reading, said } from '../output/cli-output.ts';
import { countAt } from '../output/tokens.ts';

const ending = { tool: 'cursor-agent', ending: 'event' } as const;

export const cursor: CliRecord = {
  ...ending,
  command: 'cursor-agent',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, extra }) => [
    '-p',
    // Headless it refuses a folder that was not trusted before.
    '--trust',
    '--output-format',
    'stream-json',
    '--stream-partial-output',
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  permits: {
    // With -p it has tools that write, unless it is told only to answer.
    safe: { args: ['--mode', 'ask'] },
    write: { args: ['--force', '--sandbox', 'enabled'] },
    full: { args: ['--force', '--sandbox', 'disabled'] },
  },
  env: { pass: ['CURSOR_API_KEY'], home: ['CURSOR_CONFIG_DIR'], set: {} },
  resume: { unknownSession: /(session|chat|conversation).{0,80}(not found|does not exist|unknown)/i, namedBy: 'tool' },
  limits: {},
  begin: () => nothingHeard,
  read: readingEvents(readEvent),
  finish: (ran, heard, secrets) => conclude(ending, ran, heard, secrets),
  isRunForReal: false,
};

function readEvent(event: Event, before: Heard): Reading {
  const state = { ...before, sessionId: textAt(event, 'session_id') ?? before.sessionId };
  switch (event.type) {
    case 'system':
      return event.subtype === 'init' ? progressed(state, 'started', textAt(event, 'model') ?? 'cursor') : { state };
    case 'assistant':
      return readMessage(event, state);
    case 'tool_call':
      return event.subtype === 'started' ? progressed(nextMessage(state), 'tool', toolOf(event)) : { state };
    case 'result':
      return { state: readResult(event, state) };
    default:
      return { state };
  }
}

/** Pieces have a time stamp; a message that repeats what its pieces said has none, or names the call of the model. */
function readMessage(event: Event, state: Heard): Reading {
  const text = textOfBlocks(listAt(event, 'message', 'content'));
  const isPiece = event.timestamp_ms !== undefined && event.model_call_id === undefined;
  if (isPiece) return said(state, text);
  const isRepeated = !state.isBetween && text.trim() === state.message.trim();
  return isRepeated ? { state: nextMessage(state) } : said(nextMessage(state), text);
}

function toolOf(event: Event): string {
  const call = event.tool_call;
  const [name] = typeof call === 'object' && call !== null ? Object.keys(call) : [];
  return name?.replace(/ToolCall$/, '') ?? 'a tool';
}

function readResult(event: Event, state: Heard): Heard {
  const answer = textAt(event, 'result');
  const isWell = event.is_error !== true && textAt(event, 'subtype') === 'success';
  const ended: Heard = {
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
  const message = answer ?? textAt(event, 'subtype') ?? 'a result that is no success';
  return failed(ended, kindOfText(message), message);
}
