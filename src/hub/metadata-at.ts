/** A session as it was at a seq, without folding its log: only the entries that changed it are read again. */

import type { Envelope } from '../core/records/session/envelope.ts';
import type { SessionMetadata } from '../core/records/session/session.ts';
import { foldEnvelope, type SessionState } from '../core/state/state.ts';
import type { Store } from '../core/ports/store.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { cannotRead } from './reading/log/read-lines.ts';

export async function metadataAt(
  store: Store,
  session: LiveSession,
  now: SessionMetadata,
  atSeq: number,
): Promise<SessionMetadata> {
  const changes = session.tally.changesUpTo(atSeq);
  if (changes === null) return now.head_seq === atSeq ? now : { ...now, head_seq: atSeq };
  let state: SessionState | null = null;
  for (const [from, to] of runsOf(changes)) {
    for (const envelope of await envelopesOf(store, session, from, to)) {
      state = foldEnvelope(state, envelope, { adapter: null, epoch: session.epoch });
    }
  }
  return state === null ? now : { ...state.metadata, head_seq: atSeq };
}

/** What `session.created` says. */
export async function createdEnvelope(store: Store, session: LiveSession): Promise<Envelope> {
  const [created] = await envelopesOf(store, session, 1, 1);
  if (created === undefined) throw cannotRead(session, 1);
  return created;
}

async function envelopesOf(store: Store, session: LiveSession, from: number, to: number): Promise<readonly Envelope[]> {
  const tail = session.tailFrom(from)?.slice(0, to - from + 1);
  const range = { from_seq: from, to_seq: to, limit: to - from + 1 };
  const entries = tail ?? (await store.read(session.sessionId, range));
  if (entries.length < range.limit) throw cannotRead(session, from + entries.length);
  return entries.map(({ envelope }) => envelope);
}

/** So many are read and folded at once: others are served in between. */
const PAGE = 128;

/** Neighbours are read together. */
function runsOf(seqs: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const runs: [number, number][] = [];
  for (const seq of seqs) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === seq - 1 && seq - last[0] < PAGE) last[1] = seq;
    else runs.push([seq, seq]);
  }
  return runs;
}
