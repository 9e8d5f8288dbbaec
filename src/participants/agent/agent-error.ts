/** Why a turn came to nothing: one class with a stable kind, whatever tool or model was behind it. Pure. */

import { redactSecrets } from '../lib/redact-secrets.ts';
import type { Usage } from './agent-fn.ts';

/** Every kind, with what it means. */
export const AGENT_ERROR_KINDS = {
  spawn_failed: 'The program could not be started.',
  non_zero_exit: 'The program ended with an exit code that says it failed.',
  timeout: 'A watchdog ended it.',
  aborted: 'The caller ended it.',
  output_limit: 'It wrote more than it may.',
  no_result: 'It ended well and never showed its result.',
  bad_output: 'What it wrote cannot be read.',
  auth: 'Its credentials are missing or were refused.',
  rate_limited: 'It was told to slow down.',
  overloaded: 'The service behind it has too much to do.',
  invalid_request: 'The service behind it does not take what was asked.',
  network: 'The service behind it cannot be reached.',
  budget_exceeded: 'It would cost, or has cost, more than it may.',
} as const;

export type AgentErrorKind = keyof typeof AGENT_ERROR_KINDS;

export interface AgentErrorDetails {
  /** What was run or called, by the name its users know. */
  readonly tool: string;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  /** The ends of what it wrote. */
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  /** What it had answered so far. */
  readonly partial?: string | undefined;
  /** With it the tool can go on where it was. */
  readonly native_session_id?: string | undefined;
  readonly retry_after_ms?: number | undefined;
  /** Of a timeout: which clock ran out. */
  readonly watchdog?: 'wall' | 'first_output' | 'idle' | undefined;
  /** Of a call of a model: what the service said, and what the call came to. */
  readonly call?: FailedCall | undefined;
}

/** transient: worth another try later. permanent: never. parse: what came cannot be read, worth one more try. */
export type FailureClass = 'transient' | 'permanent' | 'parse';

export interface FailedCall {
  readonly class: FailureClass;
  /** HTTP's; null when there was no answer. */
  readonly status: number | null;
  /** The service's own word for it. */
  readonly code: string | null;
  readonly request_id: string | null;
  readonly retries: number;
  /** What is known to have been used up to then, by all tries. */
  readonly usage: Usage | null;
  readonly cost_usd: number | null;
  /** The model does not let itself be forced to use a tool; without force it may. */
  readonly refuses_forced_tools: boolean;
}

export interface AgentErrorOptions {
  readonly cause?: unknown;
  /** Values that must not be shown, beside what looks like a secret by itself. */
  readonly secrets?: readonly string[] | undefined;
}

/** Long enough for a stack trace, short enough for a log line. */
const MAX_MESSAGE_CHARS = 2_000;
const MAX_TAIL_CHARS = 8_192;
const MAX_PARTIAL_CHARS = 65_536;
const MAX_SHOWN_CHARS = 600;

export class AgentError extends Error {
  readonly kind: AgentErrorKind;
  readonly details: AgentErrorDetails;

  /** `problem` is what the message says after the name of the tool. */
  constructor(kind: AgentErrorKind, problem: string, details: AgentErrorDetails, options: AgentErrorOptions = {}) {
    const { secrets = [], cause } = options;
    const said = redactSecrets(`${details.tool}: ${problem}`, secrets);
    super(headOf(said, MAX_MESSAGE_CHARS), cause === undefined ? undefined : { cause });
    this.name = 'AgentError';
    this.kind = kind;
    this.details = shownDetails(details, secrets);
  }
}

/** One of its own and those that say more. */
const NAMES: readonly string[] = ['AgentError', 'ExtractError'];

/** By shape, not by class: it may come from another copy of this package. */
export function isAgentError(thrown: unknown): thrown is AgentError {
  if (!(thrown instanceof Error) || !NAMES.includes(thrown.name)) return false;
  const kind: unknown = 'kind' in thrown ? thrown.kind : undefined;
  return typeof kind === 'string' && Object.hasOwn(AGENT_ERROR_KINDS, kind);
}

/** How a program ended: `exitCode=7 stdout=… stderr=…`, on one line, the ends of both. */
export function describeExit(ended: Pick<AgentErrorDetails, 'exitCode' | 'signal' | 'stdout' | 'stderr'>): string {
  const { exitCode, signal, stdout = '', stderr = '' } = ended;
  const how = signal ? `signal=${signal}` : `exitCode=${exitCode ?? 'none'}`;
  return `${how} stdout=${onOneLine(stdout)} stderr=${onOneLine(stderr)}`;
}

/** The error for an exit code that says so; both streams are kept. */
export function nonZeroExit(details: AgentErrorDetails, options: AgentErrorOptions = {}): AgentError {
  const { secrets = [] } = options;
  // Before anything is cut: half a secret is not found.
  const shown = { ...details, ...redactedStreams(details, secrets) };
  return new AgentError('non_zero_exit', describeExit(shown), shown, options);
}

function redactedStreams(
  { stdout, stderr }: AgentErrorDetails,
  secrets: readonly string[],
): Pick<AgentErrorDetails, 'stdout' | 'stderr'> {
  return {
    ...(stdout === undefined ? {} : { stdout: redactSecrets(stdout, secrets) }),
    ...(stderr === undefined ? {} : { stderr: redactSecrets(stderr, secrets) }),
  };
}

function shownDetails(details: AgentErrorDetails, secrets: readonly string[]): AgentErrorDetails {
  const { stdout, stderr } = redactedStreams(details, secrets);
  const { partial } = details;
  return {
    ...details,
    ...(stdout === undefined ? {} : { stdout: tailOf(stdout, MAX_TAIL_CHARS) }),
    ...(stderr === undefined ? {} : { stderr: tailOf(stderr, MAX_TAIL_CHARS) }),
    ...(partial === undefined ? {} : { partial: tailOf(redactSecrets(partial, secrets), MAX_PARTIAL_CHARS) }),
  };
}

/** Whitespace and whatever else moves a cursor becomes a blank. */
function onOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const line = tailOf(text, 4 * MAX_SHOWN_CHARS).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return tailOf(line.trim(), MAX_SHOWN_CHARS);
}

function headOf(text: string, most: number): string {
  return text.length <= most ? text : `${withoutHalves(text.slice(0, most - 1))}…`;
}

/** The end of a text: that is where a program says why. */
function tailOf(text: string, most: number): string {
  return text.length <= most ? text : `…${withoutHalves(text.slice(1 - most))}`;
}

/** A cut may leave one half of a surrogate pair at either end. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
