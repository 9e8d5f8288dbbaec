/** Reads logs and lists page by page: at most one page is in memory, and a missing entry is an error. */

import { WireError } from '../../core/lib/errors.ts';
import type { SessionQuery, Store, StoredHead } from '../../core/ports/store.ts';
import type { Entry } from '../../core/records/session/unit.ts';

const ENTRIES_PER_PAGE = 512;
const HEADS_PER_PAGE = 500;

/** The entries from `fromSeq` to `toSeq`, all of which must exist. */
export async function* iterateLog(
  store: Store,
  logId: string,
  fromSeq: number,
  toSeq: number,
): AsyncGenerator<readonly Entry[], void, undefined> {
  for (let from_seq = fromSeq; from_seq <= toSeq; ) {
    const entries = await store.read(logId, { from_seq, to_seq: toSeq, limit: ENTRIES_PER_PAGE });
    if (entries.length === 0) throw new WireError('internal', `log ${logId} has no entry ${from_seq}`);
    yield entries;
    from_seq += entries.length;
  }
}

/** The entry at `seq`, which must exist. */
export async function readEntry(store: Store, logId: string, seq: number): Promise<Entry> {
  const [entry] = await store.read(logId, { from_seq: seq, to_seq: seq, limit: 1 });
  if (entry === undefined) throw new WireError('internal', `log ${logId} has no entry ${seq}`);
  return entry;
}

export function iterateLiveSessions(store: Store, agentId: string): AsyncGenerator<StoredHead, void, undefined> {
  return iterateSessions(store, { participant: agentId, states: ['INVITED', 'ACTIVE', 'CLOSING'] });
}

export async function* iterateSessions(
  store: Store,
  query: Omit<SessionQuery, 'after' | 'limit'>,
): AsyncGenerator<StoredHead, void, undefined> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await store.list({ ...query, limit: HEADS_PER_PAGE, ...(after === undefined ? {} : { after }) });
    yield* page.heads;
    after = page.next;
  }
}

/** The live sessions the agent must be removed from when its identity is retired. */
export async function* sessionsToLeave(store: Store, agentId: string): AsyncGenerator<string, void, undefined> {
  for await (const { head, damaged_from } of iterateLiveSessions(store, agentId)) {
    const status = head.members[agentId];
    // A damaged log accepts no entries; after its repair the next start removes the retired identity.
    if (status !== 'removed' && status !== 'rejected' && damaged_from === null) yield head.session_id;
  }
}
