/** Builds the record of any other program: configured arguments; output as text, one JSON value, or JSON lines. */

import { at, numberAt, textAt } from '../../lib/read-json.ts';
import { redactSecrets } from '../../lib/redact-secrets.ts';
import type { ProgramResult } from '../../processes/program.ts';
import {
  appendText,
  appendTextLine,
  type CliOutput,
  EMPTY_OUTPUT,
  type Event,
  type Failure,
  jsonOf,
  type ParsedLine,
  readingEvents,
  withFailure,
} from '../output/cli-output.ts';
import { kindOfStatus, kindOfText } from '../output/failure-kind.ts';
import type { Ask, CliRecord, Transport } from './cli-record.ts';

export interface GenericOptions {
  readonly command: string;
  /** Name in errors (default: the name of the command). */
  readonly tool?: string | undefined;
  /** Replaces `{prompt}`, `{file}` and `{model}`; without the first two, the prompt or its file is the last argument. */
  readonly args?: readonly string[] | undefined;
  readonly transport?: Transport | undefined;
  readonly output?: 'text' | 'json' | 'jsonl' | undefined;
  /** Path of the answer in the JSON, such as `result.text` (default: the first common name). */
  readonly answerAt?: string | undefined;
}

const MAX_EXCERPT = 200;

interface GenericOutput extends CliOutput {
  /** The JSON output so far. */
  readonly json: string;
}

export function genericRecord(options: GenericOptions): CliRecord<GenericOutput> {
  const { command, transport = 'stdin', output = 'text' } = options;
  const tool = options.tool ?? command.split(/[\\/]/).at(-1) ?? command;
  return {
    tool,
    ending: 'exit',
    command,
    transport,
    output,
    args: (ask) => argsOf(options.args ?? [], ask),
    permits: { safe: {}, write: {}, full: {} },
    env: { pass: [], home: [], set: {} },
    resume: null,
    begin: () => ({ ...EMPTY_OUTPUT, json: '' }),
    read: readers[output](pathOf(options.answerAt)),
    settle: settlers[output](pathOf(options.answerAt)),
    isRunForReal: false,
  };
}

/** Drops an argument whose placeholder has no value, such as a prompt that is sent on stdin. */
function argsOf(args: readonly string[], ask: Ask): readonly string[] {
  const given: Readonly<Record<string, string | undefined>> = {
    '{prompt}': ask.prompt,
    '{file}': ask.promptFile,
    '{model}': ask.model,
  };
  const filled = args.flatMap((arg) => {
    const isFilled = Object.keys(given).every((name) => !arg.includes(name) || given[name] !== undefined);
    // Replace in one pass: a prompt that contains {file} stays unchanged.
    return isFilled ? [arg.replace(/\{(?:prompt|file|model)\}/g, (name) => given[name] ?? name)] : [];
  });
  const placed = args.some((arg) => arg.includes('{prompt}') || arg.includes('{file}'));
  const last = placed ? undefined : (ask.prompt ?? ask.promptFile);
  return [...filled, ...ask.extra, ...(last === undefined ? [] : [last])];
}

type Path = readonly (string | number)[] | null;
type Read = CliRecord<GenericOutput>['read'];
type Settle = NonNullable<CliRecord<GenericOutput>['settle']>;

const readers: Readonly<Record<'text' | 'json' | 'jsonl', (path: Path) => Read>> = {
  text: () => (line, state) => appendTextLine(state, line),
  json: () => (line, state) => ({ state: { ...state, json: `${state.json}${line}\n` } }),
  jsonl: (path) => readingEvents((event, state) => readEvent(event, state, path)),
};

const settlers: Readonly<Record<'text' | 'json' | 'jsonl', (path: Path) => Settle>> = {
  text: () => (_ran, state) => {
    const answer = state.message.trim();
    return { ...state, isDone: answer !== '', answer };
  },
  json: (path) => (ran, state, secrets) => readJson(ran, state, path, secrets),
  jsonl: () => (_ran, state) => withPieces(state),
};

/** `error` is a failure, `delta` a part of the answer; the answer may also arrive whole. */
function readEvent(event: Event, before: GenericOutput, path: Path): ParsedLine<GenericOutput> {
  const failure = failureIn(event);
  if (failure !== null) return { state: withFailure(before, failure.kind, failure.message) };
  const state = { ...before, sessionId: textAt(event, 'session_id') ?? before.sessionId };
  const delta = textAt(event, 'delta');
  if (delta !== null) return appendText(state, delta);
  const answer = answerIn(event, path);
  if (answer === null) return { state };
  const ended = { ...state, isDone: true, answer };
  return state.partial === '' ? appendText(ended, answer) : { state: ended };
}

function withPieces(state: GenericOutput): GenericOutput {
  if (state.isDone || state.isCut || state.message === '') return state;
  return { ...state, isDone: true, answer: state.message };
}

function readJson(ran: ProgramResult, state: GenericOutput, path: Path, secrets: readonly string[]): GenericOutput {
  if (state.json.trim() === '') return state;
  const value = jsonOf(state.json);
  const failure = value === undefined ? null : failureIn(value);
  if (failure !== null) return withFailure(state, failure.kind, failure.message);
  const answer = answerIn(value, path);
  if (answer !== null) return { ...state, isDone: true, answer };
  // Unreadable output may explain the failure.
  if (ran.exitCode !== 0) {
    return { ...state, noise: value === undefined ? redactSecrets(state.json, secrets).slice(-8_192) : '' };
  }
  const problem = value === undefined ? 'its output is not JSON' : 'its JSON has no answer';
  const message = `${problem}: ${excerptOf(redactSecrets(state.json, secrets))}`;
  return { ...state, failure: { kind: 'bad_output', message, isFound: true } };
}

function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_EXCERPT ? line : `${line.slice(0, MAX_EXCERPT)} …`;
}

const commonNames = ['result', 'response', 'answer', 'text', 'content', 'output', 'message'];

function answerIn(value: unknown, path: Path): string | null {
  if (path !== null) return textAt(value, ...path);
  if (typeof value === 'string') return value;
  return commonNames.map((name) => textAt(value, name)).find((text) => text !== null) ?? null;
}

function failureIn(value: unknown): Failure | null {
  const error = at(value, 'error');
  if (error === undefined || error === null || error === false) return null;
  if (typeof error === 'string' && error.trim() === '') return null;
  const message = typeof error === 'string' ? error : (textAt(error, 'message') ?? JSON.stringify(error));
  const status = numberAt(error, 'status') ?? numberAt(error, 'code');
  const type = textAt(error, 'type') ?? '';
  return { kind: (status === null ? null : kindOfStatus(status)) ?? kindOfText(`${type} ${message}`), message };
}

function pathOf(dotted: string | undefined): Path {
  return dotted === undefined ? null : dotted.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
