/** Gemini: `gemini -o stream-json`. It prints a lot on stderr; some exit codes name the cause. */

import { isPlainObject } from '../../../core/lib/json.ts';
import type { AgentErrorKind } from '../../agent/agent-error.ts';
import type { Usage } from '../../agent/agent-fn.ts';
import { at, countAt, numberAt, textAt } from '../../lib/read-json.ts';
import {
  appendNoise,
  appendText,
  type CliOutput,
  EMPTY_OUTPUT,
  type Event,
  nextMessage,
  type ParsedLine,
  readingEvents,
  withProgress,
} from '../output/cli-output.ts';
import { kindOfStatus, kindOfText } from '../output/failure-kind.ts';
import { addUsage, sum, unknownUsage, without } from '../output/tokens.ts';
import type { CliRecord } from './cli-record.ts';

/** 53 = turn limit, 55 = untrusted folder. */
const exitKinds: Readonly<Record<number, AgentErrorKind>> = {
  41: 'auth',
  42: 'invalid_request',
  53: 'budget_exceeded',
  55: 'invalid_request',
};

export const gemini: CliRecord = {
  tool: 'gemini',
  ending: 'event',
  exitKinds,
  command: 'gemini',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, extra }) => [
    '--skip-trust',
    '-o',
    'stream-json',
    ...(model === undefined ? [] : ['-m', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  permits: {
    // In headless mode, gemini denies anything that needs a confirmation.
    safe: { args: ['--approval-mode', 'default'] },
    write: { args: ['--approval-mode', 'auto_edit'] },
    full: { args: ['--approval-mode', 'yolo'] },
  },
  env: {
    pass: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_GEMINI_BASE_URL',
      'GOOGLE_GENAI_USE_VERTEXAI',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_APPLICATION_CREDENTIALS',
    ],
    home: [],
    set: {},
  },
  resume: {
    unknownSession: /invalid session identifier|no previous sessions found|error resuming session/i,
    namedBy: 'tool',
  },
  retryLines: /^Attempt \d+ failed.*$/gm,
  begin: () => EMPTY_OUTPUT,
  read: readingEvents(readEvent),
  isRunForReal: true,
};

function readEvent(event: Event, before: CliOutput): ParsedLine {
  const state = { ...before, sessionId: textAt(event, 'session_id') ?? before.sessionId };
  switch (event.type) {
    case 'init':
      return withProgress(state, 'started', textAt(event, 'model') ?? 'gemini');
    case 'message':
      return event.role === 'assistant' ? appendText(state, textAt(event, 'content') ?? '') : { state };
    case 'tool_use':
      return withProgress(nextMessage(state), 'tool', textAt(event, 'tool_name') ?? textAt(event, 'name') ?? 'a tool');
    case 'error': {
      const message = textAt(event, 'message') ?? textAt(event, 'error', 'message') ?? 'an error';
      return withProgress(appendNoise(state, message), 'note', message);
    }
    case 'result':
      return { state: readResult(event, state) };
    default:
      return { state };
  }
}

function readResult(event: Event, state: CliOutput): CliOutput {
  const stats = at(event, 'stats');
  const total = countAt(stats, 'total_tokens');
  // The total includes thoughts, which are not reported separately.
  const meta = total === null ? state.meta : { ...state.meta, total_tokens: total };
  const ended = { ...state, isDone: true, answer: state.message, usage: usageOf(stats), meta };
  if (event.status === 'success') return { ...ended, failure: null };
  const message = textAt(event, 'error', 'message') ?? `status ${textAt(event, 'status') ?? 'unknown'}`;
  const code = numberAt(event, 'error', 'code');
  const kind = (code === null ? null : (exitKinds[code] ?? kindOfStatus(code))) ?? kindOfText(message);
  return { ...ended, failure: { kind, message } };
}

/** Sums the models' counts, else reads the totals. Gemini counts thoughts apart from the answer, and cached tokens as input. */
function usageOf(stats: unknown): Usage {
  const models = at(stats, 'models');
  const counted = isPlainObject(models) ? Object.values(models) : [];
  const nested = counted.map((model) => at(model, 'tokens')).filter((tokens) => tokens !== undefined);
  if (nested.length > 0) return nested.map(usageOfModel).reduce<Usage>(addUsage, unknownUsage);
  const cached = countAt(stats, 'cached');
  return {
    ...unknownUsage,
    input_tokens: without(countAt(stats, 'input_tokens'), cached),
    cache_read_tokens: cached,
    output_tokens: countAt(stats, 'output_tokens'),
  };
}

function usageOfModel(tokens: unknown): Usage {
  const cached = countAt(tokens, 'cached');
  const thoughts = countAt(tokens, 'thoughts');
  return {
    input_tokens: without(countAt(tokens, 'prompt'), cached),
    cache_read_tokens: cached,
    cache_write_tokens: null,
    output_tokens: sum(countAt(tokens, 'candidates'), thoughts),
    reasoning_tokens: thoughts,
  };
}
