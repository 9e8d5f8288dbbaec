/** What went wrong with one try, in our words: its class, its row of the retry table, its kind. Pure. */

import type { AgentErrorKind, FailureClass } from '../../agent/agent-error.ts';
import { spendLimitIn } from '../spend-limit.ts';

/** The rows of the retry table; null = never again. */
export type RetryRow = 'rate_limit' | 'server' | 'network' | 'malformed';

export interface Failure {
  readonly class: FailureClass;
  readonly row: RetryRow | null;
  readonly kind: AgentErrorKind;
  /** For people; neither redacted nor cut yet: half a secret would not be found. */
  readonly problem: string;
  readonly status: number | null;
  readonly code: string | null;
  /** The service wants to be left alone for so long. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  readonly watchdog?: 'wall' | 'idle' | undefined;
}

/** What a service says of itself when it fails, in a body or in an event. */
export interface Complaint {
  readonly message: string;
  /** Its words for it, the most exact last: type, code, details. */
  readonly words: readonly string[];
  /** The parameter it dislikes. */
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

/** An answer whose status is not 200. */
export function httpFailure(
  status: number,
  complaint: Complaint,
  about: { readonly retryAfterMs: number | null; readonly requestId: string | null },
): Failure {
  const judged = spendLimitIn(complaint.words) ? SPENT : byStatus(status);
  return {
    ...judged,
    ...about,
    status,
    code: complaint.words.at(-1) ?? null,
    problem: httpProblem(status, complaint, judged),
  };
}

/** An error in an answer that began well. Its status, 200, says nothing: its words count. */
export function eventFailure(complaint: Complaint, requestId: string | null): Failure {
  const judged = spendLimitIn(complaint.words) ? SPENT : byWords(complaint.words);
  const code = complaint.words.at(-1) ?? null;
  const problem = `the answer ended in an error${code === null ? '' : ` (${code})`}: ${complaint.message}`;
  return { ...judged, status: 200, code, problem, retryAfterMs: null, requestId };
}

/** No answer, or one that broke off. */
export function networkFailure(problem: string, watchdog?: 'wall' | 'idle'): Failure {
  const kind = watchdog === undefined ? 'network' : 'timeout';
  return { ...NETWORK, kind, problem, status: null, code: null, retryAfterMs: null, requestId: null, watchdog };
}

/** An answer that is not what the service promises. */
export function malformed(problem: string): Failure {
  return { ...MALFORMED, problem, status: 200, code: null, retryAfterMs: null, requestId: null };
}

export function tooLarge(problem: string): Failure {
  return { ...REFUSED, kind: 'output_limit', problem, status: 200, code: null, retryAfterMs: null, requestId: null };
}

function byStatus(status: number): Judged {
  if (status === 429) return RATE_LIMITED;
  if (status === 408) return NETWORK;
  if (status === 402) return SPENT;
  if (status === 401 || status === 403) return AUTH;
  // 504 and 529 among them: a server that cannot now may later.
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

/** The most exact word that is known, or a status among them; who fails in the middle of an answer mostly is overloaded. */
function byWords(words: readonly string[]): Judged {
  const known = words.map((word) => BY_WORD.get(word) ?? byNumber(word)).filter((judged) => judged !== undefined);
  return known.at(-1) ?? SERVER;
}

function byNumber(word: string): Judged | undefined {
  return /^[45]\d\d$/.test(word) ? byStatus(Number(word)) : undefined;
}

function httpProblem(status: number, { message, words }: Complaint, judged: Judged): string {
  const named = words.length === 0 ? '' : ` ${words.join(' ')}`;
  const advice = judged.kind === 'auth' ? '; check the key' : '';
  return `HTTP ${status}${named}: ${message === '' ? 'no reason given' : message}${advice}`;
}
