/** Hermes: `hermes chat -Q`. It writes the answer as plain text, and the session id on stderr. */

import type { ProgramResult } from '../../processes/program.ts';
import { appendTextLine, type CliOutput, EMPTY_OUTPUT, type ParsedLine } from '../output/cli-output.ts';
import type { CliRecord } from './cli-record.ts';

export const hermes: CliRecord = {
  tool: 'hermes',
  ending: 'exit',
  command: 'hermes',
  transport: 'stdin',
  output: 'text',
  args: ({ model, resume, extra }) => [
    'chat',
    '-Q',
    '--oneshot',
    '--query-file',
    '-',
    // Hides our sessions from the user's list.
    '--source',
    'tool',
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  permits: {
    safe: { args: ['-t', 'web'] },
    // Hermes has no sandbox; without --yolo it skips commands that it considers dangerous.
    write: {},
    full: { args: ['--yolo'] },
  },
  env: {
    pass: ['OPENROUTER_API_KEY', 'NOUS_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
    home: ['HERMES_HOME'],
    set: {},
  },
  resume: { unknownSession: /session.{0,80}not found|no session/i, namedBy: 'tool' },
  begin: () => EMPTY_OUTPUT,
  read: readLine,
  settle: ended,
  isRunForReal: false,
};

const sessionLine = /^session_id:\s*(\S+)\s*$/m;

/** Older versions print the session id below the answer. */
function readLine(line: string, state: CliOutput): ParsedLine {
  const sessionId = sessionLine.exec(line)?.[1];
  return sessionId === undefined ? appendTextLine(state, line) : { state: { ...state, sessionId } };
}

function ended(ran: ProgramResult, heard: CliOutput): CliOutput {
  const sessionId = sessionLine.exec(ran.stderr)?.[1] ?? heard.sessionId;
  return { ...heard, sessionId, isDone: heard.message.trim() !== '', answer: heard.message.trim() };
}
