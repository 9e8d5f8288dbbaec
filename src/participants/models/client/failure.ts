/** Classifies why an attempt failed, and decides when to retry. Pure. */

import { type AgentErrorKind, type FailureClass, isAgentError } from '../../agent/agent-error.ts';
import type { ModelRequest } from './model-client.ts';

/** Rows of the retry table. A failure without a row is never retried. */
type RetryRow = 'rate_limit' | 'server' | 'network' | 'malformed';

export interface Failure {
  readonly class: FailureClass;
  readonly row: RetryRow | null;
  readonly kind: AgentErrorKind;
  /** Neither redacted nor truncated yet: redaction would miss half a secret. */
  readonly problem: string;
  readonly status: number | null;
  readonly code: string | null;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  readonly watchdog?: 'wall' | 'idle' | undefined;
}

/** An error as the service reports it, in a body or an event. */
export interface ApiError {
  readonly message: string;
  /** Its error codes, the most specific last: type, code, details. */
  readonly words: readonly string[];
  /** The parameter it rejects. */
  readonly param: string | null;
}

type Judged = Pick<Failure, 'class' | 'row' | 'kind'>;

const RATE_LIMITED: Judged = { class: 'transient', row: 'rate_limit', kind: 'rate_limited' };
const SERVER: Judged = { class: 'transient', row: 'server', kind: 'overloaded' };
const NETWORK: Judged = { class: 'transient', row: 'network', kind: 'network' };
const MALFORMED: Judged = { class: 'parse', row: 'malformed', kind: 'bad_output' };
const AUTH: Judged = { class: 'permanent', row: null, kind: 'auth' };
const SPENT: Judged = { class: 'permanent', row: null, kind: 'budget_exceeded' };
const REFUSED: Judged = { class: 'permanent', row: null, kind: 'invalid_request' };

export function httpFailure(
  status: number,
  complaint: ApiError,
  about: { readonly retryAfterMs: number | null; readonly requestId: string | null },
): Failure {
  const judged = hasSpendLimit(complaint.words) ? SPENT : byStatus(status);
  return {
    ...judged,
    ...about,
    status,
    code: complaint.words.at(-1) ?? null,
    problem: httpProblem(status, complaint, judged),
  };
}

/** The failure for an error inside an answer with status 200, classified by its codes. */
export function eventFailure(complaint: ApiError, requestId: string | null): Failure {
  const judged = hasSpendLimit(complaint.words) ? SPENT : byWords(complaint.words);
  const code = complaint.words.at(-1) ?? null;
  const problem = `the answer ended in an error${code === null ? '' : ` (${code})`}: ${complaint.message}`;
  return { ...judged, status: 200, code, problem, retryAfterMs: null, requestId };
}

/** The failure if the service did not answer, or its answer broke off. */
export function networkFailure(problem: string, watchdog?: 'wall' | 'idle'): Failure {
  const kind = watchdog === undefined ? 'network' : 'timeout';
  return { ...NETWORK, kind, problem, status: null, code: null, retryAfterMs: null, requestId: null, watchdog };
}

/** The failure of an answer that violates the API. */
export function malformedFailure(problem: string): Failure {
  return { ...MALFORMED, problem, status: 200, code: null, retryAfterMs: null, requestId: null };
}

export function tooLargeFailure(problem: string): Failure {
  return { ...REFUSED, kind: 'output_limit', problem, status: 200, code: null, retryAfterMs: null, requestId: null };
}

function byStatus(status: number): Judged {
  if (status === 429) return RATE_LIMITED;
  if (status === 408) return NETWORK;
  if (status === 402) return SPENT;
  if (status === 401 || status === 403) return AUTH;
  // Including 504 and 529: the server may recover.
  return status >= 500 ? SERVER : REFUSED;
}

const BY_WORD: ReadonlyMap<string, Judged> = new Map([
  ['rate_limit_error', RATE_LIMITED],
  ['rate_limit_exceeded', RATE_LIMITED],
  ['slow_down', RATE_LIMITED],
  ['invalid_request_error', REFUSED],
  ['not_found_error', REFUSED],
  ['request_too_large', REFUSED],
  ['context_length_exceeded', REFUSED],
  ['invalid_prompt', REFUSED],
  ['authentication_error', AUTH],
  ['invalid_api_key', AUTH],
  ['permission_error', AUTH],
  ['billing_error', SPENT],
]);

/** Classifies by the most specific known code or status. Unknown errors inside an answer usually mean overload. */
function byWords(words: readonly string[]): Judged {
  const known = words.map((word) => BY_WORD.get(word) ?? byNumber(word)).filter((judged) => judged !== undefined);
  return known.at(-1) ?? SERVER;
}

function byNumber(word: string): Judged | undefined {
  return /^[45]\d\d$/.test(word) ? byStatus(Number(word)) : undefined;
}

function httpProblem(status: number, { message, words }: ApiError, judged: Judged): string {
  const named = words.length === 0 ? '' : ` ${words.join(' ')}`;
  const advice = judged.kind === 'auth' ? '; check the key' : '';
  return `HTTP ${status}${named}: ${message === '' ? 'no reason given' : message}${advice}`;
}

const SPEND_LIMITS: ReadonlySet<string> = new Set([
  'enforced_spend_limit_reached',
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'billing_hard_limit_reached',
  'billing_error',
]);

function hasSpendLimit(words: readonly string[]): boolean {
  return words.some((word) => SPEND_LIMITS.has(word));
}

export function isForced({ tools = [], toolChoice }: Pick<ModelRequest, 'tools' | 'toolChoice'>): boolean {
  return tools.length > 0 && (toolChoice === 'required' || typeof toolChoice === 'object');
}

/** True if the service rejected the request because it forces a tool. */
export function rejectsForcedTools(status: number, { message, param }: ApiError): boolean {
  if (status !== 400 && status !== 422) return false;
  return param === 'tool_choice' || /tool[_ ]choice|forc(?:e[sd]?|ing)\b.{0,40}\btool/i.test(message);
}

/** True if a model rejects forced tool use: ask again with `auto`. */
export function refusesForcedTools(thrown: unknown): boolean {
  return isAgentError(thrown) && thrown.details.call?.refuses_forced_tools === true;
}

/** Pauses per row, one for each retry. */
export const RETRY_WAITS_MS: Readonly<Record<RetryRow, readonly number[]>> = {
  rate_limit: [1_000, 2_000, 4_000, 8_000, 16_000],
  server: [2_000, 4_000, 8_000],
  network: [5_000],
  malformed: [0],
};

/** Retries used per row in this call. */
export type Retries = Readonly<Record<RetryRow, number>>;

export const NO_RETRIES: Retries = { rate_limit: 0, server: 0, network: 0, malformed: 0 };

/** The pause before the next attempt and the updated counts; null if the call must not be retried. */
export function nextTry(
  retries: Retries,
  failure: Failure,
): { readonly waitMs: number; readonly retries: Retries } | null {
  const { row, retryAfterMs } = failure;
  if (row === null) return null;
  const waitMs = RETRY_WAITS_MS[row][retries[row]];
  if (waitMs === undefined) return null;
  return { waitMs: Math.max(waitMs, retryAfterMs ?? 0), retries: { ...retries, [row]: retries[row] + 1 } };
}

export function countOf(retries: Retries): number {
  return retries.rate_limit + retries.server + retries.network + retries.malformed;
}
