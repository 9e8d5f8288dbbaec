/**
 * Aider: `aider --message-file`. It writes plain text and exits with 0 even if the model is unreachable; only the line
 * with the tokens shows that a model answered.
 */

import type { Usage } from '../../agent/agent-fn.ts';
import {
  appendNoise,
  appendTextLine,
  type CliOutput,
  EMPTY_OUTPUT,
  nextMessage,
  type ParsedLine,
  withProgress,
} from '../output/cli-output.ts';
import { addUsage, costOf, sum, without } from '../output/tokens.ts';
import type { CliRecord } from './cli-record.ts';

export const aider: CliRecord = {
  tool: 'aider',
  ending: 'exit',
  command: 'aider',
  transport: 'file',
  output: 'text',
  args: ({ model, promptFile, extra }) => [
    ...(promptFile === undefined ? [] : ['--message-file', promptFile]),
    '--yes-always',
    '--no-stream',
    '--no-pretty',
    '--no-auto-commits',
    '--no-gitignore',
    '--no-check-update',
    '--no-suggest-shell-commands',
    '--chat-history-file',
    '/dev/null',
    '--input-history-file',
    '/dev/null',
    ...(model === undefined ? [] : ['--model', model]),
    ...extra,
  ],
  permits: { safe: { args: ['--chat-mode', 'ask', '--dry-run'] }, write: {}, full: {} },
  env: {
    pass: ['OPENAI_API_KEY', 'OPENAI_API_BASE', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
    home: [],
    set: {},
  },
  resume: null,
  begin: () => EMPTY_OUTPUT,
  read: readLine,
  isRunForReal: false,
};

const banner =
  /^(Aider v|Main model:|Weak model:|Editor model:|Model:|Git repo:|Git working dir:|Repo-map:|Added .* to the chat|Warning|Note:|Detected dumb terminal|Terminal does not support|Use \/help|Cur working dir|Newer aider version|Initial repo scan|Scanning repo|https?:\/\/aider\.chat)/;
const failure = /^(litellm\.\S*(Error|Exception)|The API provider('s servers)? |Unable to |Model .* not found)/;
const tokens = /^Tokens: (\S+) sent(?:, (\S+) cache write)?(?:, (\S+) cache hit)?, (\S+) received\.(.*)$/;
const cost = /Cost: \$(\d+(?:\.\d+)?) message/;

function readLine(line: string, state: CliOutput): ParsedLine {
  if (state.partial === '' && banner.test(line)) return { state: appendNoise(state, line) };
  if (line.startsWith('Retrying in ')) return withProgress(state, 'retry', line);
  if (failure.test(line)) return { state: appendNoise(state, line) };
  const counted = tokens.exec(line);
  if (counted !== null) return { state: answered(counted, state) };
  // After the token line, aider reports how it applied the answer.
  return state.isDone ? { state: appendNoise(state, line) } : appendTextLine(state, line);
}

function answered(counted: RegExpExecArray, state: CliOutput): CliOutput {
  const [, sent, written, hit, received, rest] = counted;
  const usage: Usage = {
    input_tokens: without(countOf(sent), countOf(written), countOf(hit)),
    cache_read_tokens: countOf(hit),
    cache_write_tokens: countOf(written),
    output_tokens: countOf(received),
    reasoning_tokens: null,
  };
  const price = cost.exec(rest ?? '')?.[1];
  return {
    ...nextMessage(state),
    isDone: true,
    answer: state.message.trim(),
    usage: addUsage(state.usage, usage),
    costUsd: sum(state.costUsd, costOf(price === undefined ? null : Number(price))),
    // Aider rounds large numbers, as in 1.2k.
    meta: { ...state.meta, is_usage_rounded: true },
  };
}

function countOf(shown: string | undefined): number | null {
  const found = /^(\d+(?:\.\d+)?)(k|M)?$/.exec(shown ?? '');
  if (found === null) return null;
  const factor = found[2] === 'k' ? 1_000 : found[2] === 'M' ? 1_000_000 : 1;
  return Math.round(Number(found[1]) * factor);
}
