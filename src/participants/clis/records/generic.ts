/** Any other program: what it is called with is told, and its output is text, one JSON value, or a line of JSON each. */

import { redactSecrets } from '../../lib/redact-secrets.ts';
import type { Ran } from '../../processes/program.ts';
import type { Ask, CliRecord, Transport } from './cli-record.ts';
import { conclude, type Ending } from '../output/finish-turn.ts';
import { at, type Event, jsonOf, numberAt, readingEvents, textAt } from '../output/event-line.ts';
import { kindOfStatus, kindOfText } from '../output/failure-kind.ts';
import { type Failure, failed, type Heard, nothingHeard, type Reading, said, saidLine } from '../output/cli-output.ts';

export interface GenericOptions {
  readonly command: string;
  /** Its name in errors; without it, the command's. */
  readonly tool?: string | undefined;
  /** `{prompt}`, `{file}` and `{model}` are replaced; without the first two, the prompt or its file comes last. */
  readonly args?: readonly string[] | undefined;
  readonly transport?: Transport | undefined;
  readonly output?: 'text' | 'json' | 'jsonl' | undefined;
  /** Where in the JSON the answer is, such as `result.text`; without it, the first of the usual names. */
  readonly answerAt?: string | undefined;
}

const MOST_EXCERPT = 200;

export interface GenericHeard extends Heard {
  /** JSON that is not whole yet. */
  readonly json: string;
}

export function genericRecord(options: GenericOptions): CliRecord<GenericHeard> {
  const { command, transport = 'stdin', output = 'text' } = options;
  const tool = options.tool ?? command.split(/[\\/]/).at(-1) ?? command;
  const ending = { tool, ending: 'exit' } as const;
  return {
    ...ending,
    command,
    transport,
    output,
    args: (ask) => argsOf(options.args ?? [], ask),
    permits: { safe: {}, write: {}, full: {} },
    env: { pass: [], home: [], set: {} },
    resume: null,
    limits: {},
    begin: () => ({ ...nothingHeard, json: '' }),
    read: readers[output](pathOf(options.answerAt)),
    finish: finishers[output](ending, pathOf(options.answerAt)),
    isRunForReal: false,
  };
}

/** A prompt that came on stdin after all leaves no empty argument behind. */
function argsOf(args: readonly string[], ask: Ask): readonly string[] {
  const given: Readonly<Record<string, string | undefined>> = {
    '{prompt}': ask.prompt,
    '{file}': ask.promptFile,
    '{model}': ask.model,
  };
  const filled = args.flatMap((arg) => {
    const isFilled = Object.keys(given).every((name) => !arg.includes(name) || given[name] !== undefined);
    // One pass: a prompt that contains {file} stays as it is.
    return isFilled ? [arg.replace(/\{(?:prompt|file|model)\}/g, (name) => given[name] ?? name)] : [];
  });
  const placed = args.some((arg) => arg.includes('{prompt}') || arg.includes('{file}'));
  const last = placed ? undefined : (ask.prompt ?? ask.promptFile);
  return [...filled, ...ask.extra, ...(last === undefined ? [] : [last])];
}

type Path = readonly (string | number)[] | null;
type Read = CliRecord<GenericHeard>['read'];
type Finish = CliRecord<GenericHeard>['finish'];

const readers: Readonly<Record<'text' | 'json' | 'jsonl', (path: Path) => Read>> = {
  text: () => (line, state) => saidLine(state, line),
  json: () => (line, state) => ({ state: { ...state, json: `${state.json}${line}\n` } }),
  jsonl: (path) => readingEvents((event, state) => readEvent(event, state, path)),
};

const finishers: Readonly<Record<'text' | 'json' | 'jsonl', (ending: Ending, path: Path) => Finish>> = {
  text: (ending) => (ran, state, secrets) => {
    const answer = state.message.trim();
    return conclude(ending, ran, { ...state, isDone: answer !== '', answer }, secrets);
  },
  json: (ending, path) => (ran, state, secrets) => conclude(ending, ran, readJson(ran, state, path, secrets), secrets),
  jsonl: (ending) => (ran, state, secrets) => conclude(ending, ran, withPieces(state), secrets),
};

/** An `error` is a failure, a `delta` a piece of the answer, and the answer itself may come whole. */
function readEvent(event: Event, before: GenericHeard, path: Path): Reading<GenericHeard> {
  const failure = failureIn(event);
  if (failure !== null) return { state: failed(before, failure.kind, failure.message) };
  const state = { ...before, sessionId: textAt(event, 'session_id') ?? before.sessionId };
  const delta = textAt(event, 'delta');
  if (delta !== null) return said(state, delta);
  const answer = answerIn(event, path);
  if (answer === null) return { state };
  const ended = { ...state, isDone: true, answer };
  return state.partial === '' ? said(ended, answer) : { state: ended };
}

function withPieces(state: GenericHeard): GenericHeard {
  if (state.isDone || state.isCut || state.message === '') return state;
  return { ...state, isDone: true, answer: state.message };
}

function readJson(ran: Ran, state: GenericHeard, path: Path, secrets: readonly string[] = []): GenericHeard {
  if (state.json.trim() === '') return state;
  const value = jsonOf(state.json);
  const failure = value === undefined ? null : failureIn(value);
  if (failure !== null) return failed(state, failure.kind, failure.message);
  const answer = answerIn(value, path);
  if (answer !== null) return { ...state, isDone: true, answer };
  // What cannot be read is no event: it may be why it failed.
  if (ran.exitCode !== 0) {
    return { ...state, noise: value === undefined ? redactSecrets(state.json, secrets).slice(-8_192) : '' };
  }
  const problem = value === undefined ? 'its output is no JSON' : 'its JSON has no answer in it';
  const message = `${problem}: ${excerptOf(redactSecrets(state.json, secrets))}`;
  return { ...state, failure: { kind: 'bad_output', message, isFound: true } };
}

/** Enough to know it by. */
function excerptOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MOST_EXCERPT ? line : `${line.slice(0, MOST_EXCERPT)} …`;
}

const usualNames = ['result', 'response', 'answer', 'text', 'content', 'output', 'message'];

function answerIn(value: unknown, path: Path): string | null {
  if (path !== null) return textAt(value, ...path);
  if (typeof value === 'string') return value;
  return usualNames.map((name) => textAt(value, name)).find((text) => text !== null) ?? null;
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
