/** The error of a failed turn: one class with a stable kind for every tool and model. Pure. */

import { redactSecrets } from '../lib/redact-secrets.ts';
import type { Usage } from './agent-fn.ts';

export const AGENT_ERROR_KINDS = {
  spawn_failed: 'The program could not be started.',
  non_zero_exit: 'The program exited with a non-zero code.',
  timeout: 'A watchdog stopped it.',
  aborted: 'The caller cancelled it.',
  output_limit: 'It wrote more output than allowed.',
  no_result: 'It ended normally without a result.',
  bad_output: 'Its output cannot be read.',
  auth: 'Its credentials are missing or were rejected.',
  rate_limited: 'The service asked it to slow down.',
  overloaded: 'The service is overloaded.',
  invalid_request: 'The service rejected the request as invalid.',
  network: 'The service cannot be reached.',
  budget_exceeded: 'It would exceed, or has exceeded, a budget.',
} as const;

export type AgentErrorKind = keyof typeof AGENT_ERROR_KINDS;

export interface AgentErrorDetails {
  /** The program or model, by the name users know. */
  readonly tool: string;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  /** The end of each stream. */
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  /** Text that was answered before the failure. */
  readonly partial?: string | undefined;
  /** Id that resumes the tool's own session. */
  readonly native_session_id?: string | undefined;
  readonly retry_after_ms?: number | undefined;
  /** The time limit that ran out, if the kind is `timeout`. */
  readonly watchdog?: 'wall' | 'first_output' | 'idle' | undefined;
  /** Details of a failed model call. */
  readonly call?: FailedCall | undefined;
}

/** transient: retry later. permanent: never retry. parse: unreadable answer, retry once. */
export type FailureClass = 'transient' | 'permanent' | 'parse';

export interface FailedCall {
  readonly class: FailureClass;
  /** HTTP status; null if the service did not answer. */
  readonly status: number | null;
  /** The service's own error code. */
  readonly code: string | null;
  readonly request_id: string | null;
  readonly retries: number;
  /** Usage reported by all attempts. */
  readonly usage: Usage | null;
  readonly cost_usd: number | null;
  /** The model rejects forced tool use; `auto` may work. */
  readonly refuses_forced_tools: boolean;
}

interface AgentErrorOptions {
  readonly cause?: unknown;
  /** Values to redact, in addition to anything that looks like a secret. */
  readonly secrets?: readonly string[] | undefined;
}

/** Long enough for a stack trace, short enough for a log line. */
const MAX_MESSAGE_CHARS = 2_000;
const MAX_DETAIL_CHARS = { stdout: 8_192, stderr: 8_192, partial: 65_536 };
const MAX_SHOWN_CHARS = 600;

export class AgentError extends Error {
  readonly kind: AgentErrorKind;
  readonly details: AgentErrorDetails;

  /** `problem` follows the tool's name in the message. */
  constructor(kind: AgentErrorKind, problem: string, details: AgentErrorDetails, options: AgentErrorOptions = {}) {
    const { secrets = [], cause } = options;
    const message = redactSecrets(`${details.tool}: ${problem}`, secrets);
    super(headOf(message, MAX_MESSAGE_CHARS), cause === undefined ? undefined : { cause });
    this.name = 'AgentError';
    this.kind = kind;
    this.details = redactDetails(details, secrets);
  }
}

const NAMES: readonly string[] = ['AgentError', 'ExtractError'];

/** Checks the shape, not the class: the error may come from another copy of this package. */
export function isAgentError(thrown: unknown): thrown is AgentError {
  if (!(thrown instanceof Error) || !NAMES.includes(thrown.name)) return false;
  const kind: unknown = 'kind' in thrown ? thrown.kind : undefined;
  return typeof kind === 'string' && Object.hasOwn(AGENT_ERROR_KINDS, kind);
}

/** Describes the exit of a program on one line: `exitCode=7 stdout=… stderr=…`. */
export function describeExit(
  { exitCode, signal, stdout = '', stderr = '' }: Omit<AgentErrorDetails, 'tool'>,
  secrets: readonly string[] = [],
): string {
  const how = signal ? `signal=${signal}` : `exitCode=${exitCode ?? 'none'}`;
  return `${how} stdout=${onOneLine(stdout, secrets)} stderr=${onOneLine(stderr, secrets)}`;
}

export function nonZeroExit(details: AgentErrorDetails, options: AgentErrorOptions = {}): AgentError {
  return new AgentError('non_zero_exit', describeExit(details, options.secrets), details, options);
}

function redactDetails(details: AgentErrorDetails, secrets: readonly string[]): AgentErrorDetails {
  const shown: Record<string, string> = {};
  for (const name of ['stdout', 'stderr', 'partial'] as const) {
    const text = details[name];
    if (text !== undefined) shown[name] = tailOf(redactSecrets(text, secrets), MAX_DETAIL_CHARS[name]);
  }
  return { ...details, ...shown };
}

/** Replaces whitespace and control characters with single blanks. Redacts first: half a secret is not recognised. */
function onOneLine(text: string, secrets: readonly string[]): string {
  const end = tailOf(redactSecrets(text, secrets), 4 * MAX_SHOWN_CHARS);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters.
  const line = end.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return tailOf(line.trim(), MAX_SHOWN_CHARS);
}

function headOf(text: string, most: number): string {
  return text.length <= most ? text : `${withoutHalves(text.slice(0, most - 1))}…`;
}

/** Keeps the end, where programs say why they failed. */
function tailOf(text: string, most: number): string {
  return text.length <= most ? text : `…${withoutHalves(text.slice(1 - most))}`;
}

/** Drops half a surrogate pair that a cut leaves at either end. */
function withoutHalves(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
