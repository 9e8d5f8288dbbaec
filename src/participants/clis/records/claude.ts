/** Claude Code: `claude -p` with stream-json. It reports errors on stdout, in a result with subtype "success". */

import { isPlainObject } from '../../../core/lib/json.ts';
import { at, countAt, listAt, numberAt, textAt } from '../../lib/read-json.ts';
import {
  appendText,
  type CliOutput,
  EMPTY_OUTPUT,
  type Event,
  type Failure,
  nextMessage,
  type ParsedLine,
  readingEvents,
  textOfBlocks,
  withFailure,
  withProgress,
} from '../output/cli-output.ts';
import { kindOfStatus, kindOfText } from '../output/failure-kind.ts';
import { costOf, sum } from '../output/tokens.ts';
import type { CliRecord } from './cli-record.ts';

interface ClaudeOutput extends CliOutput {
  /** Id of the streamed message, which claude repeats whole afterwards. */
  readonly streamed: string | null;
  readonly isResumed: boolean;
}

export const claude: CliRecord<ClaudeOutput> = {
  tool: 'claude',
  ending: 'event',
  command: 'claude',
  transport: 'stdin',
  output: 'jsonl',
  args: ({ model, resume, budgetUsd, extra }) => [
    '-p',
    '--output-format',
    'stream-json',
    // Required by stream-json.
    '--verbose',
    '--include-partial-messages',
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...(budgetUsd === undefined ? [] : ['--max-budget-usd', String(budgetUsd)]),
    ...extra,
  ],
  permits: {
    // In headless mode, claude denies anything that needs a confirmation.
    safe: { args: ['--permission-mode', 'default', '--disallowedTools', 'Edit,Write,NotebookEdit'] },
    write: { args: ['--permission-mode', 'acceptEdits'] },
    full: { args: ['--dangerously-skip-permissions'] },
  },
  env: {
    pass: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'IS_SANDBOX',
    ],
    home: ['CLAUDE_CONFIG_DIR'],
    set: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Ten retries would outlast the turn and hide the cause.
      CLAUDE_CODE_MAX_RETRIES: '4',
    },
  },
  resume: { unknownSession: /no conversation found/i, namedBy: 'tool' },
  begin: (resumed) => ({ ...EMPTY_OUTPUT, streamed: null, isResumed: resumed !== null }),
  read: readingEvents(readEvent),
  isRunForReal: true,
};

function readEvent(event: Event, before: ClaudeOutput): ParsedLine<ClaudeOutput> {
  const state = { ...before, sessionId: textAt(event, 'session_id') ?? before.sessionId };
  // Text of a subagent is not the answer.
  const isOwn = textAt(event, 'parent_tool_use_id') === null;
  switch (event.type) {
    case 'system':
      return readSystem(event, state);
    case 'stream_event':
      return isOwn ? readPiece(event, state) : { state };
    case 'assistant':
      return isOwn ? readMessage(event, state) : { state };
    case 'result':
      return { state: readResult(event, state) };
    default:
      return { state };
  }
}

function readSystem(event: Event, state: ClaudeOutput): ParsedLine<ClaudeOutput> {
  if (event.subtype === 'init') {
    const model = textAt(event, 'model');
    const known = model === null ? state : { ...state, meta: { ...state.meta, model } };
    return withProgress(known, 'started', model ?? 'claude');
  }
  if (event.subtype !== 'api_retry') return { state };
  const status = numberAt(event, 'error_status');
  const why = `${status ?? ''} ${textAt(event, 'error') ?? ''}`.trim();
  const text = `try ${numberAt(event, 'attempt') ?? '?'} of ${numberAt(event, 'max_retries') ?? '?'}: ${why}`;
  // Claude would retry a rejected key for minutes.
  const isRefused = status !== null && kindOfStatus(status) === 'auth';
  return withProgress(isRefused ? withFailure(state, 'auth', why) : state, 'retry', text);
}

function readPiece(event: Event, state: ClaudeOutput): ParsedLine<ClaudeOutput> {
  const type = textAt(event, 'event', 'type');
  if (type === 'message_start') {
    return { state: nextMessage({ ...state, streamed: textAt(event, 'event', 'message', 'id') }) };
  }
  if (type !== 'content_block_delta' || textAt(event, 'event', 'delta', 'type') !== 'text_delta') return { state };
  return appendText(state, textAt(event, 'event', 'delta', 'text') ?? '');
}

function readMessage(event: Event, state: ClaudeOutput): ParsedLine<ClaudeOutput> {
  // Skip a service error that is written as if the model had said it.
  if (event.is_api_error_message === true || textAt(event, 'message', 'model') === '<synthetic>') return { state };
  const blocks = listAt(event, 'message', 'content');
  const isRepeated = state.streamed !== null && textAt(event, 'message', 'id') === state.streamed;
  const text = isRepeated ? '' : textOfBlocks(blocks);
  const reading = text === '' ? { state } : appendText(nextMessage(state), text);
  const tools = blocks.filter((block) => textAt(block, 'type') === 'tool_use');
  if (tools.length === 0) return reading;
  const names = tools.map((block) => textAt(block, 'name') ?? 'a tool').join(', ');
  return { ...reading, progress: { kind: 'tool', text: names } };
}

function readResult(event: Event, state: ClaudeOutput): ClaudeOutput {
  const answer = textAt(event, 'result');
  const denials = listAt(event, 'permission_denials').length;
  const stopReason = textAt(event, 'stop_reason');
  return {
    ...state,
    isDone: true,
    answer,
    failure: failureOf(event, answer),
    costUsd: costOf(costOfTurn(event, state)),
    usage: {
      input_tokens: countAt(event, 'usage', 'input_tokens'),
      cache_read_tokens: countAt(event, 'usage', 'cache_read_input_tokens'),
      cache_write_tokens: countAt(event, 'usage', 'cache_creation_input_tokens'),
      output_tokens: countAt(event, 'usage', 'output_tokens'),
      reasoning_tokens: countAt(event, 'usage', 'output_tokens_details', 'thinking_tokens'),
    },
    meta: {
      ...state.meta,
      ...(stopReason === null ? {} : { stop_reason: stopReason }),
      ...(denials === 0 ? {} : { permission_denials: denials }),
    },
  };
}

/** The total covers the whole session, including earlier runs; newer versions report this run separately. */
function costOfTurn(event: Event, state: ClaudeOutput): number | null {
  const since = at(event, 'model_usage_since_last_result');
  if (isPlainObject(since)) return sum(...Object.values(since).map((model) => numberAt(model, 'costUSD')));
  return state.isResumed ? null : numberAt(event, 'total_cost_usd');
}

/** `subtype: "success"` appears with `is_error: true` when the service answered with an error. */
function failureOf(event: Event, answer: string | null): Failure | null {
  const subtype = textAt(event, 'subtype') ?? '';
  const isError = event.is_error === true || (subtype !== 'success' && subtype !== '');
  if (!isError) return answer === null ? { kind: 'no_result', message: 'a result without an answer' } : null;
  const errors = listAt(event, 'errors').filter((error) => typeof error === 'string');
  const message = [answer ?? '', ...errors].filter((text) => text !== '').join('; ') || subtype;
  if (/^error_max_/.test(subtype)) return { kind: 'budget_exceeded', message };
  const status = at(event, 'api_error_status');
  const byStatus = typeof status === 'number' ? kindOfStatus(status) : null;
  return { kind: byStatus ?? kindOfText(`${textAt(event, 'api_error_type') ?? ''} ${message}`), message };
}
