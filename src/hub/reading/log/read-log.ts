/** Reads a page of a session's log: durable entries, filtered as for delivery, plus the reader's own. */

import { WireError } from '../../../core/lib/errors.ts';
import { utf8Bytes } from '../../../core/lib/json.ts';
import type { Params, Result } from '../../../core/protocol/operations/operations.ts';
import { isReadable } from '../../../core/records/session/delivery.ts';
import type { Envelope } from '../../../core/records/session/envelope.ts';
import { dropWithheld } from '../../access/filter-withheld.ts';
import type { Binding } from '../../bindings/binding.ts';
import { type ReadingRooms, readableBy } from './read-access.ts';

type LogRooms = Pick<ReadingRooms, 'limits' | 'store' | 'events' | 'registry' | 'sessions' | 'redactions' | 'access'>;

const DEFAULT_LIMIT = 100;

export async function readLog(
  rooms: LogRooms,
  reader: Binding,
  params: Params<'read_log'>,
): Promise<Result<'read_log'>> {
  const { sessions, store, redactions, access, limits } = rooms;
  const state = await sessions.use(params.session_id, (session) => session.durable);
  const { session_id, all = false } = params;
  const readable = readableBy(rooms, state, { reader, sessionId: session_id, all }, 'read_log');
  if (all && !readable.isObserved) {
    const field = 'params.all';
    throw new WireError('forbidden', `${field}: reading envelopes addressed to others requires the grant "observe"`, {
      field,
    });
  }
  const { end, metadata } = readable;
  const { head_seq } = metadata;
  const { limit = DEFAULT_LIMIT, reverse = false } = params;
  const last = Math.min(head_seq, end);
  const start = params.from_seq ?? (reverse ? last : 1);
  const range = reverse
    ? { from_seq: 1, to_seq: Math.min(start, last), limit, reverse }
    : { from_seq: start, to_seq: last, limit };
  if (range.to_seq < range.from_seq) return { envelopes: [], next: null, head_seq };
  const entries = await store.read(params.session_id, range);
  const { agentId } = reader;
  const own = entries.filter(({ envelope }) => readable.isObserved || isReadable(envelope, agentId, end));
  const allowed = readable.isObserved ? own : await dropWithheld(access, agentId, own);
  const { envelopes, stoppedAt } = takeWithin(
    redactions.allShown(allowed).map(({ envelope }) => envelope),
    limits.maxResponseBytes,
  );
  const lastRead = entries.at(-1)?.envelope.seq;
  if (stoppedAt !== null) return { envelopes, next: stoppedAt, head_seq };
  if (lastRead === undefined || entries.length < limit) return { envelopes, next: null, head_seq };
  const next = reverse ? lastRead - 1 : lastRead + 1;
  return { envelopes, next: next >= 1 && next <= last ? next : null, head_seq };
}

/** Takes as many envelopes as fit into one answer, at least one; the next page begins at `stoppedAt`. */
function takeWithin(all: readonly Envelope[], maxBytes: number): { envelopes: Envelope[]; stoppedAt: number | null } {
  const envelopes: Envelope[] = [];
  let bytes = 0;
  for (const envelope of all) {
    bytes += utf8Bytes(JSON.stringify(envelope));
    if (bytes > maxBytes && envelopes.length > 0) return { envelopes, stoppedAt: envelope.seq };
    envelopes.push(envelope);
  }
  return { envelopes, stoppedAt: null };
}
