/** Codex: `codex exec --json`. It counts tokens per thread, and its input includes cached tokens. */

import type { Usage } from '../../agent/agent-fn.ts';
import { countAt, textAt } from '../../lib/read-json.ts';
import {
  appendNoise,
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
import { kindOfText } from '../output/failure-kind.ts';
import { unknownUsage, usageSince, without } from '../output/tokens.ts';
import type { CliRecord, Resumed } from './cli-record.ts';

interface CodexOutput extends CliOutput {
  readonly resumed: Resumed | null;
  /** The message in progress, and its text so far. */
  readonly item: { readonly id: string; readonly text: string } | null;
}

export const codex: CliRecord<CodexOutput> = {
  tool: 'codex',
  ending: 'event',
  command: 'codex',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, extra }) => [
    'exec',
    '--json',
    '--skip-git-repo-check',
    // Both features first check for updates on the network, for seconds.
    '--disable',
    'plugins',
    '--disable',
    'apps',
    ...(model === undefined ? [] : ['-m', model]),
    ...extra,
    ...(resume === undefined ? [] : ['resume', resume]),
    '-',
  ],
  permits: {
    safe: { args: ['-s', 'read-only'] },
    write: { args: ['-s', 'workspace-write'] },
    full: { args: ['--dangerously-bypass-approvals-and-sandbox'] },
  },
  env: { pass: ['OPENAI_API_KEY', 'CODEX_API_KEY'], home: ['CODEX_HOME'], set: {} },
  resume: { unknownSession: /no rollout found|thread.{0,80}not found/i, namedBy: 'tool' },
  begin: (resumed) => ({ ...EMPTY_OUTPUT, resumed, item: null }),
  read: readingEvents(readEvent),
  isRunForReal: true,
};

function readEvent(event: Event, state: CodexOutput): ParsedLine<CodexOutput> {
  switch (event.type) {
    case 'thread.started':
      return withProgress({ ...state, sessionId: textAt(event, 'thread_id') ?? state.sessionId }, 'started', 'codex');
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return readItem(event, state);
    case 'error':
      return readError(textAt(event, 'message') ?? '', state);
    case 'turn.completed':
      return { state: completed(event, state) };
    case 'turn.failed': {
      const message = textAt(event, 'error', 'message') ?? 'the turn failed';
      return { state: withFailure({ ...state, isDone: true }, kindOfText(message), message) };
    }
    default:
      return { state };
  }
}

function readItem(event: Event, state: CodexOutput): ParsedLine<CodexOutput> {
  const type = textAt(event, 'item', 'type');
  if (type === 'agent_message') return readMessage(event, state);
  // Items of this type may be mere warnings.
  if (type === 'error') return withProgress(state, 'note', textAt(event, 'item', 'message') ?? 'a warning');
  if (event.type !== 'item.started' || type === null) return { state };
  return withProgress(nextMessage(state), 'tool', textAt(event, 'item', 'command') ?? type);
}

/** A message arrives whole, or grows from event to event. */
function readMessage(event: Event, state: CodexOutput): ParsedLine<CodexOutput> {
  const id = textAt(event, 'item', 'id') ?? '';
  const text = textAt(event, 'item', 'text') ?? '';
  const isSame = state.item?.id === id;
  const before = isSame ? (state.item?.text ?? '') : '';
  const next = { ...(isSame ? state : nextMessage(state)), item: { id, text }, answer: text };
  // If the text was rewritten, the shown deltas stay, but the answer is right.
  return text.startsWith(before) ? appendText(next, text.slice(before.length)) : { state: next };
}

function readError(message: string, before: CodexOutput): ParsedLine<CodexOutput> {
  const state = appendNoise(before, message);
  // Without a network Codex waits forever.
  if (/waiting for network/i.test(message))
    return withProgress(withFailure(state, 'network', message), 'retry', message);
  return withProgress(state, 'retry', message);
}

function completed(event: Event, state: CodexOutput): CodexOutput {
  const cached = countAt(event, 'usage', 'cached_input_tokens');
  const written = countAt(event, 'usage', 'cache_write_input_tokens');
  const threadUsage: Usage = {
    input_tokens: without(countAt(event, 'usage', 'input_tokens'), cached, written),
    cache_read_tokens: cached,
    cache_write_tokens: written,
    output_tokens: countAt(event, 'usage', 'output_tokens'),
    reasoning_tokens: countAt(event, 'usage', 'reasoning_output_tokens'),
  };
  return { ...state, isDone: true, failure: null, threadUsage, usage: usageOfTurn(threadUsage, state) };
}

/** In a thread begun elsewhere the usage of this turn is unknown. */
function usageOfTurn(now: Usage, { resumed, sessionId }: CodexOutput): Usage {
  if (resumed === null || (sessionId !== null && sessionId !== resumed.sessionId)) return now;
  return resumed.threadUsage === null ? unknownUsage : usageSince(resumed.threadUsage, now);
}
