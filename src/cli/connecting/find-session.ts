/** Which session is meant: its id, the beginning or end of it, or `last` for the newest. */

import type { AgentClient } from '../../client/agent-client.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Params } from '../../core/protocol/operations/operations.ts';
import type { SessionSummary } from '../../core/protocol/operations/sessions.ts';
import { invalidValueError, notFoundError } from '../terminal/command-error.ts';

const WHOLE = /^[0-9a-f]{32}$/;
const PART = /^[0-9a-f]{4,31}$/;
/** Older ones are found by their whole id. */
const MAX_SESSIONS = 1_000;

export async function findSession(client: AgentClient, value: string): Promise<string> {
  if (WHOLE.test(value)) return value;
  if (value !== 'last' && !PART.test(value)) {
    throw invalidValueError(
      '<session>',
      'a session id, four or more digits of its beginning or end, or "last"',
      value,
      LIST,
    );
  }
  const ids: string[] = [];
  for await (const { session_id } of allSessions(client, {}, MAX_SESSIONS)) {
    if (value === 'last') return session_id;
    if (session_id.startsWith(value) || session_id.endsWith(value)) ids.push(session_id);
  }
  const [found, other] = ids;
  if (found === undefined) throw notFoundError('not_found', `there is no session "${value}" to be seen`, LIST);
  if (other === undefined) return found;
  throw invalidValueError('<session>', `more of its id: ${ids.length} sessions fit`, value, LIST);
}

const LIST = '"parley sessions" shows which there are.';

/** Everybody's, as far as one may; else one's own. Newest first. */
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
