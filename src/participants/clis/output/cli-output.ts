/** The output of a program in one turn, as plain data, and functions that add to it. Pure. */

import type { JsonObject } from '../../../core/lib/json.ts';
import { isPlainObject } from '../../../core/lib/json.ts';
import type { AgentErrorKind } from '../../agent/agent-error.ts';
import type { ProgressEvent, Usage } from '../../agent/agent-fn.ts';
import { textAt } from '../../lib/read-json.ts';

export interface Failure {
  /** null if the tool reports a failure without a cause; the exit code then decides. */
  readonly kind: AgentErrorKind | null;
  readonly message: string;
  /** Derived from the output; the tool itself reported nothing. */
  readonly isFound?: true;
}

export interface CliOutput {
  /** The tool's own session id, for resuming. */
  readonly sessionId: string | null;
  /** All streamed text. */
  readonly partial: string;
  /** Text of the latest message: tools may write several between tool calls. */
  readonly message: string;
  /** True if the next text starts a new message. */
  readonly isBetween: boolean;
  /** True once the final event has arrived. */
  readonly isDone: boolean;
  readonly answer: string | null;
  readonly usage: Usage | null;
  /** Tokens of the whole session, for tools that count so; the next turn subtracts them. */
  readonly threadUsage: Usage | null;
  readonly costUsd: number | null;
  readonly failure: Failure | null;
  /** Latest lines that are not events, where tools may print errors. */
  readonly noise: string;
  /** True if the latest line starts like an event but is truncated. */
  readonly isCut: boolean;
  readonly meta: JsonObject;
}

export interface ParsedLine<State extends CliOutput = CliOutput> {
  readonly state: State;
  readonly delta?: string;
  readonly progress?: ProgressEvent;
}

export const EMPTY_OUTPUT: CliOutput = {
  sessionId: null,
  partial: '',
  message: '',
  isBetween: false,
  isDone: false,
  answer: null,
  usage: null,
  threadUsage: null,
  costUsd: null,
  failure: null,
  noise: '',
  isCut: false,
  meta: {},
};

/** Appends streamed text, with an empty line between messages. */
export function appendText<State extends CliOutput>(state: State, text: string): ParsedLine<State> {
  if (text === '') return { state };
  const isFirst = state.isBetween || state.partial === '';
  const delta = isFirst && state.partial !== '' ? `\n\n${text}` : text;
  const message = isFirst ? text : state.message + text;
  return { state: { ...state, partial: state.partial + delta, message, isBetween: false }, delta };
}

/** Appends a plain line; leading empty lines are dropped. */
export function appendTextLine<State extends CliOutput>(state: State, line: string): ParsedLine<State> {
  if (state.partial === '') return line.trim() === '' ? { state } : appendText(state, line);
  return state.isBetween && line.trim() === '' ? { state } : appendText(state, state.isBetween ? line : `\n${line}`);
}

export function nextMessage<State extends CliOutput>(state: State): State {
  return { ...state, isBetween: true };
}

export function withFailure<State extends CliOutput>(state: State, kind: Failure['kind'], message: string): State {
  return { ...state, failure: { kind, message } };
}

const maxNoise = 8_192;

/** Keeps a line that is not an event for a possible error message; old lines are dropped. */
export function appendNoise<State extends CliOutput>(state: State, line: string): State {
  const noise = `${state.noise}${wholeWords(line)}\n`;
  return { ...state, noise: noise.length <= maxNoise ? noise : noise.slice(firstKept(noise)) };
}

/** Start of the lines to keep. Keeps whole lines: redaction would miss half a secret. */
function firstKept(noise: string): number {
  return noise.indexOf('\n', noise.length - maxNoise - 1) + 1;
}

/** Truncates a long line after a word: redaction would miss half a secret. */
function wholeWords(line: string): string {
  if (line.length < maxNoise) return line;
  return line.slice(0, Math.max(0, line.lastIndexOf(' ', maxNoise - 1)));
}

export function withProgress<State extends CliOutput>(
  state: State,
  kind: ProgressEvent['kind'],
  text: string,
): ParsedLine<State> {
  return { state, progress: { kind, text } };
}

export type Event = Readonly<Record<string, unknown>>;

/** Turns an event reader into a line reader: skips empty lines and keeps other text as noise. */
export function readingEvents<State extends CliOutput>(
  onEvent: (event: Event, state: State) => ParsedLine<State>,
): (line: string, state: State) => ParsedLine<State> {
  return (line, state) => {
    if (line.trim() === '') return { state };
    const event = eventOf(line);
    if (event === null) return { state: { ...appendNoise(state, line), isCut: line.trimStart().startsWith('{') } };
    return onEvent(event, state.isCut ? { ...state, isCut: false } : state);
  };
}

function eventOf(text: string): Event | null {
  const value = jsonOf(text);
  return isPlainObject(value) ? value : null;
}

/** undefined if the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Joins the `text` blocks of a content list. */
export function textOfBlocks(blocks: readonly unknown[]): string {
  return blocks
    .filter((block) => textAt(block, 'type') === 'text')
    .map((block) => textAt(block, 'text') ?? '')
    .join('');
}
