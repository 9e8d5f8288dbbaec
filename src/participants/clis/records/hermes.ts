/** Hermes: `hermes chat -Q`. It writes the answer as plain text, and the name of the conversation on stderr. */

import type { Ran } from '../../processes/program.ts';
import type { CliRecord } from './cli-record.ts';
import { conclude } from '../output/finish-turn.ts';
import { type Heard, nothingHeard, type Reading, saidLine } from '../output/cli-output.ts';

const ending = { tool: 'hermes', ending: 'exit' } as const;

export const hermes: CliRecord = {
  ...ending,
  command: 'hermes',
  transport: 'stdin',
  output: 'text',
  args: ({ model, resume, extra }) => [
    'chat',
    '-Q',
    '--oneshot',
    '--query-file',
    '-',
    // Keeps our conversations out of the list its user sees.
    '--source',
    'tool',
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  permits: {
    safe: { args: ['-t', 'web'] },
    // It has no sandbox; what it thinks dangerous it does not do unless it is told to.
    write: {},
    full: { args: ['--yolo'] },
  },
  env: {
    pass: ['OPENROUTER_API_KEY', 'NOUS_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
    home: ['HERMES_HOME'],
    set: {},
  },
  resume: { unknownSession: /session.{0,80}not found|no session/i, namedBy: 'tool' },
  limits: {},
  begin: () => nothingHeard,
  read: readLine,
  finish: (ran, heard, secrets) => conclude(ending, ran, ended(ran, heard), secrets),
  isRunForReal: false,
};

const sessionLine = /^session_id:\s*(\S+)\s*$/m;

/** Older versions print the name of the conversation below the answer. */
function readLine(line: string, state: Heard): Reading {
  const sessionId = sessionLine.exec(line)?.[1];
  return sessionId === undefined ? saidLine(state, line) : { state: { ...state, sessionId } };
}

function ended(ran: Ran, heard: Heard): Heard {
  const sessionId = sessionLine.exec(ran.stderr)?.[1] ?? heard.sessionId;
  return { ...heard, sessionId, isDone: heard.message.trim() !== '', answer: heard.message.trim() };
}
