/** Why a call of an MCP server failed. */

import { isAgentError } from '../../../participants/agent/agent-error.ts';
import type { Deadline } from './deadline.ts';
import { type AdapterFailure, failureOf } from '../../../governed/drivers/attempt/failure.ts';
import { classOfStatus, reasonOf } from './http-words.ts';

export interface Called extends Pick<Deadline, 'endedBy'> {
  readonly timeoutMs: number;
  readonly secrets: readonly string[];
}

export function mcpFailure(thrown: unknown, { endedBy, timeoutMs, secrets }: Called): AdapterFailure {
  if (endedBy === 'caller') return failureOf('aborted', 'nobody waits for the result any more');
  if (endedBy === 'timeout') return failureOf('timeout', 'no result within the time there was in all');
  const about = { secrets };
  if (isAgentError(thrown)) return failureOf('spawn_failed', thrown.message, about);
  const detail = reasonOf(thrown);
  const { code, status } = codesOf(thrown);
  if (code === 'REQUEST_TIMEOUT') {
    return failureOf('timeout', `neither a result nor progress within ${timeoutMs} ms: ${detail}`, about);
  }
  if (status !== null) return failureOf(classOfStatus(status), detail, { ...about, http_status: status });
  if (code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED' || code === 'SEND_FAILED' || isOfNetwork(thrown)) {
    return failureOf('network_failure', `the connection to the server ended: ${detail}`, about);
  }
  return failureOf('protocol_error', detail, about);
}

/** By shape: the errors are of a package that is loaded only when it is needed. */
function codesOf(thrown: unknown): { readonly code: unknown; readonly status: number | null } {
  if (typeof thrown !== 'object' || thrown === null) return { code: null, status: null };
  const code = 'code' in thrown ? thrown.code : null;
  const data = 'data' in thrown && typeof thrown.data === 'object' ? thrown.data : null;
  const status = data !== null && 'status' in data && typeof data.status === 'number' ? data.status : null;
  return { code, status };
}

function isOfNetwork(thrown: unknown): boolean {
  return thrown instanceof TypeError && thrown.message === 'fetch failed';
}
