/** Calls operations that change nothing, the only ones used in read-only mode. */

import type { SessionDescription } from '../../core/protocol/operations/console-sessions.ts';
import type { OperationName, Params, Result } from '../../core/protocol/operations/operations.ts';
import { client } from './current-client.ts';
import { isForbidden, loadGrants } from './grants.ts';

/** All other operations change something and are called through `write-operations.ts`. */
export type ReadOperation = Extract<
  OperationName,
  | 'whoami'
  | 'list_sessions'
  | 'search_sessions'
  | 'describe_sessions'
  | 'get_session'
  | 'read_state'
  | 'read_log'
  | 'read_view'
  | 'list_agents'
  | 'find_agent'
  | 'get_resume'
  | 'get_skill'
  | 'list_types'
  | 'check_graph'
  | 'hub_figures'
  | 'read_feed'
  | 'can_send'
  | 'health'
>;

export async function callRead<Name extends ReadOperation>(op: Name, params: Params<Name>): Promise<Result<Name>> {
  try {
    return await client().call(op, params);
  } catch (thrown) {
    if (isForbidden(thrown)) loadGrants();
    throw thrown;
  }
}

/** Maximum number of sessions in one `describe_sessions` call. */
export const MAX_DESCRIBED = 100;

/** Describes the first MAX_DESCRIBED sessions; makes no call for an empty list. */
export async function describeSessions(ids: readonly string[]): Promise<readonly SessionDescription[]> {
  const session_ids = ids.slice(0, MAX_DESCRIBED);
  return session_ids.length === 0 ? [] : (await callRead('describe_sessions', { session_ids })).sessions;
}

/** The message of an error. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
