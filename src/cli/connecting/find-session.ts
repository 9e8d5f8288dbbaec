/** Resolves a session id, a part of one, or `last`. */

import type { AgentClient } from '../../client/agent-client.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Params } from '../../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { invalidValueError, notFoundError } from '../terminal/command-error.ts';

const WHOLE = /^[0-9a-f]{32}$/;
const PART = /^[0-9a-f]{4,31}$/;
/** Sessions searched, newest first; older sessions need their complete id. */
const MAX_SESSIONS = 1_000;

export async function findSession(client: AgentClient, value: string): Promise<string> {
  if (WHOLE.test(value)) return value;
  if (value !== 'last' && !PART.test(value)) {
    const expected = 'a session id, four or more digits of its beginning or end, or "last"';
    throw invalidValueError('<session>', expected, value, LIST);
  }
  const ids: string[] = [];
  for await (const { session_id } of allSessions(client, {}, MAX_SESSIONS)) {
    if (value === 'last') return session_id;
    if (session_id.startsWith(value) || session_id.endsWith(value)) ids.push(session_id);
  }
  const [found, other] = ids;
  if (found === undefined)
    throw notFoundError('not_found', `session "${value}" not found, or not visible to you`, LIST);
  if (other === undefined) return found;
  throw invalidValueError('<session>', `more digits: ${ids.length} sessions match`, value, LIST);
}

const LIST = 'Run "parley sessions" to list them.';

/** All sessions if permitted, else the caller's own; newest first. */
export async function* allSessions(
  client: AgentClient,
  query: Pick<Params<'list_sessions'>, 'states' | 'type'>,
  max: number,
): AsyncGenerator<SessionSummary, void, undefined> {
  let all: boolean | undefined = true;
  let left = max;
  for (let after: string | null | undefined; after !== null && left > 0; ) {
    const params = { ...query, all, after, limit: Math.min(left, 200) };
    const page = await client.call('list_sessions', params).catch((thrown: unknown) => {
      if (!(all === true && thrown instanceof WireError && thrown.code === 'forbidden')) throw thrown;
      all = undefined;
      return client.call('list_sessions', { ...params, all });
    });
    yield* page.sessions;
    left -= page.sessions.length;
    after = page.next;
  }
}
