/** Goose: `goose run -i -` with stream-json. It reports only the total number of tokens. */

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
} from '../output/cli-output.ts';
import { kindOfText } from '../output/failure-kind.ts';
import type { CliRecord } from './cli-record.ts';

interface GooseOutput extends CliOutput {
  /** Id of the message in progress, shared by its parts. */
  readonly messageId: string | null;
}

export const goose: CliRecord<GooseOutput> = {
  tool: 'goose',
  ending: 'event',
  command: 'goose',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, newSession, extra }) => [
    'run',
    '-i',
    '-',
    '-q',
    '--output-format',
    'stream-json',
    ...sessionArgs(resume, newSession),
    ...(model === undefined ? [] : ['--model', model]),
    ...extra,
  ],
  permits: {
    // In headless mode nobody can confirm: goose either acts freely or only talks.
    safe: { env: { GOOSE_MODE: 'chat' } },
    write: { env: { GOOSE_MODE: 'auto' } },
    full: { env: { GOOSE_MODE: 'auto' } },
  },
  env: {
    pass: [
      'GOOSE_PROVIDER',
      'GOOSE_MODEL',
      'OPENAI_API_KEY',
      'OPENAI_HOST',
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_HOST',
      'OPENROUTER_API_KEY',
    ],
    home: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
    set: { GOOSE_DISABLE_KEYRING: '1' },
  },
  resume: { unknownSession: /session.{0,80}(not found|does not exist)|no session/i, namedBy: 'caller' },
  begin: () => ({ ...EMPTY_OUTPUT, messageId: null }),
  read: readingEvents(readEvent),
  isRunForReal: false,
};

function sessionArgs(resume: string | undefined, newSession: string | undefined): readonly string[] {
  if (resume !== undefined) return ['-n', resume, '-r'];
  return newSession === undefined ? ['--no-session'] : ['-n', newSession];
}

function readEvent(event: Event, state: GooseOutput): ParsedLine<GooseOutput> {
  switch (event.type) {
    case 'message':
      return readMessage(event, state);
    case 'error': {
      const message = textAt(event, 'error') ?? textAt(event, 'error', 'message') ?? 'an error';
      return { state: withFailure(state, kindOfText(message), message) };
    }
    case 'complete': {
      const total = countAt(event, 'total_tokens');
      const meta = total === null ? state.meta : { ...state.meta, total_tokens: total };
      return { state: { ...state, isDone: true, answer: state.message, meta } };
    }
    default:
      return { state };
  }
}

function readMessage(event: Event, before: GooseOutput): ParsedLine<GooseOutput> {
  if (textAt(event, 'message', 'role') !== 'assistant') return { state: nextMessage(before) };
  const id = textAt(event, 'message', 'id');
  const isSame = id !== null && id === before.messageId;
  const state = { ...(isSame ? before : nextMessage(before)), messageId: id };
  const blocks = listAt(event, 'message', 'content');
  const reading = appendText(state, textOfBlocks(blocks));
  const tool = blocks.find((block) => textAt(block, 'type') === 'toolRequest');
  if (tool === undefined) return reading;
  const name = textAt(tool, 'toolCall', 'value', 'name') ?? 'a tool';
  return { ...reading, state: nextMessage(reading.state), progress: { kind: 'tool', text: name } };
}
