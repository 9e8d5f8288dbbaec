/** What has been heard of a program so far in one turn, and how a reader adds to it. Plain data: reading is pure. */

import type { JsonObject } from '../../../core/lib/json.ts';
import type { AgentErrorKind } from '../../agent/agent-error.ts';
import type { ProgressEvent, Usage } from '../../agent/agent-fn.ts';

export interface Failure {
  /** null: the tool says that it failed, and not at what; then its exit code decides. */
  readonly kind: AgentErrorKind | null;
  readonly message: string;
  /** It is what we make of the output: the tool itself reports nothing. */
  readonly isFound?: true;
}

export interface CliOutput {
  /** The tool's own name of the conversation, with which it can be resumed. */
  readonly sessionId: string | null;
  /** All text the tool has streamed. */
  readonly partial: string;
  /** The text of the newest message: tools say something between two tool calls as well. */
  readonly message: string;
  /** The next text begins a new message. */
  readonly isBetween: boolean;
  /** The terminal event has come. */
  readonly isDone: boolean;
  readonly answer: string | null;
  readonly usage: Usage | null;
  /** Tokens of the whole conversation, for tools that count so; the next turn subtracts them. */
  readonly threadUsage: Usage | null;
  readonly costUsd: number | null;
  readonly failure: Failure | null;
  /** The newest lines that are no events: where tools print errors when they do not come as events. */
  readonly noise: string;
  /** The newest line began like an event and is not whole. */
  readonly isCut: boolean;
  readonly meta: JsonObject;
}

/** What one line tells. */
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

/** The tool said `text`. Messages are set apart by an empty line, which is all that is ever added to what it said. */
export function appendText<State extends CliOutput>(state: State, text: string): ParsedLine<State> {
  if (text === '') return { state };
  const isFirst = state.isBetween || state.partial === '';
  const delta = isFirst && state.partial !== '' ? `\n\n${text}` : text;
  const message = isFirst ? text : state.message + text;
  return { state: { ...state, partial: state.partial + delta, message, isBetween: false }, delta };
}

/** The same for tools that write plain lines; empty lines before the first are left out. */
export function appendTextLine<State extends CliOutput>(state: State, line: string): ParsedLine<State> {
  if (state.partial === '') return line.trim() === '' ? { state } : appendText(state, line);
  return state.isBetween && line.trim() === '' ? { state } : appendText(state, state.isBetween ? line : `\n${line}`);
}

/** The message is over: what comes next is another one. */
export function nextMessage<State extends CliOutput>(state: State): State {
  return { ...state, isBetween: true };
}

export function withFailure<State extends CliOutput>(state: State, kind: Failure['kind'], message: string): State {
  return { ...state, failure: { kind, message } };
}

const maxNoise = 8_192;

/** A line that is no event is kept for the error message, should there be one; only the newest are. */
export function appendNoise<State extends CliOutput>(state: State, line: string): State {
  const noise = `${state.noise}${wholeWords(line)}\n`;
  return { ...state, noise: noise.length <= maxNoise ? noise : noise.slice(firstKept(noise)) };
}

/** Whole lines: half a secret would not be found when the noise is shown. */
function firstKept(noise: string): number {
  return noise.indexOf('\n', noise.length - maxNoise - 1) + 1;
}

/** A line that is too long ends after a word, for the same reason. */
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
