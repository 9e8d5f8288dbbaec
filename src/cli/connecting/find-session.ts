/** Which session is meant: its id, the beginning or end of it, or `last` for the newest. */

import type { AgentClient } from '../../client/agent-client.ts';
import { WireError } from '../../core/lib/errors.ts';
import type { Params, SessionSummary } from '../../core/operations.ts';
import { Trouble, wrongValue } from '../terminal/command-error.ts';

const WHOLE = /^[0-9a-f]{32}$/;
const PART = /^[0-9a-f]{4,31}$/;
/** Older ones are found by their whole id. */
const MOST = 1_000;

export async function findSession(client: AgentClient, given: string): Promise<string> {
  if (WHOLE.test(given)) return given;
  if (given !== 'last' && !PART.test(given)) {
    throw wrongValue('<session>', 'a session id, four or more digits of its beginning or end, or "last"', given, LIST);
  }
  const ids: string[] = [];
  for await (const { session_id } of allSessions(client, {}, MOST)) {
    if (given === 'last') return session_id;
    if (session_id.startsWith(given) || session_id.endsWith(given)) ids.push(session_id);
  }
  const [found, other] = ids;
  if (found === undefined)
    throw new Trouble('notFound', 'not_found', `there is no session "${given}" to be seen`, LIST);
  if (other === undefined) return found;
  throw wrongValue('<session>', `more of its id: ${ids.length} sessions fit`, given, LIST);
}

const LIST = '"parley sessions" shows which there are.';

/** Everybody's, as far as one may; else one's own. Newest first. */
export async function* allSessions(
  client: AgentClient,
  query: Pick<Params<'list_sessions'>, 'states' | 'type'>,
  most: number,
): AsyncGenerator<SessionSummary, void, undefined> {
  let all: boolean | undefined = true;
  let left = most;
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
