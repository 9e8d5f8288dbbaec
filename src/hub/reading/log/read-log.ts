/** Reading a log: filtered like delivery, plus one's own; durable entries only, a page at a time. */

import { isReadable } from '../../../core/records/session/delivery.ts';
import type { Entry, Envelope } from '../../../core/records/session/envelope.ts';
import { WireError } from '../../../core/lib/errors.ts';
import { utf8Bytes } from '../../../core/lib/json.ts';
import type { Params, Result } from '../../../core/operations.ts';
import { participantOf } from '../../../core/records/session/session.ts';
import type { SessionState } from '../../../core/state/state.ts';
import type { Binding } from '../../bindings.ts';
import { observes } from '../../observes.ts';
import type { HubParts } from '../../parts.ts';
import { type Readable, readableEnd } from '../../readable-end.ts';
import { notWithheld } from '../../access/filter-withheld.ts';

const DEFAULT_LIMIT = 100;

export async function readLog(
  parts: HubParts,
  reader: Binding,
  params: Params<'read_log'>,
): Promise<Result<'read_log'>> {
  const state = await parts.sessions.use(params.session_id, (session) => session.durable);
  const readable = readableBy(parts, state, reader.agentId, params);
  const { end, metadata } = readable;
  const { head_seq } = metadata;
  const { limit = DEFAULT_LIMIT, reverse = false } = params;
  const last = Math.min(head_seq, end);
  const start = params.from_seq ?? (reverse ? last : 1);
  const range = reverse
    ? { from_seq: 1, to_seq: Math.min(start, last), limit, reverse }
    : { from_seq: start, to_seq: last, limit };
  if (range.to_seq < range.from_seq) return { envelopes: [], next: null, head_seq };
  const entries = await parts.store.read(params.session_id, range);
  const allowed = readable.isObserved ? entries : await ownOf(parts, reader.agentId, entries, end);
  const { envelopes, stoppedAt } = takeWithin(
    parts.redactions.allShown(allowed).map(({ envelope }) => envelope),
    parts.limits.maxResponseBytes,
  );
  const lastRead = entries.at(-1)?.envelope.seq;
  if (stoppedAt !== null) return { envelopes, next: stoppedAt, head_seq };
  if (lastRead === undefined || entries.length < limit) return { envelopes, next: null, head_seq };
  const next = reverse ? lastRead - 1 : lastRead + 1;
  return { envelopes, next: next >= 1 && next <= last ? next : null, head_seq };
}

/** Who may observe reads all of a session it is not in, and of one it is in if it asks for that. */
function readableBy(
  parts: HubParts,
  state: SessionState | null,
  agentId: string,
  { session_id, all = false }: Params<'read_log'>,
): Readable & { readonly isObserved: boolean } {
  const isStranger = state !== null && participantOf(state.metadata, agentId) === undefined;
  if (state !== null && (isStranger || all) && observes(parts, agentId, session_id, 'read_log')) {
    return { ...state, end: Number.POSITIVE_INFINITY, isObserved: true };
  }
  const own = readableEnd(state, agentId, session_id);
  if (all) {
    const field = 'params.all';
    throw new WireError('forbidden', `${field}: what is for others takes the grant "observe"`, { field });
  }
  return { ...own, isObserved: false };
}

/** What is for a participant, or came from it, and is not kept from it. */
async function ownOf(
  parts: HubParts,
  agentId: string,
  entries: readonly Entry[],
  end: number,
): Promise<readonly Entry[]> {
  const readable = entries.filter(({ envelope }) => isReadable(envelope, agentId, end));
  return notWithheld(parts.gate, agentId, readable);
}

/** As many as fit into one answer, at least one; `stoppedAt` is where the next page begins. */
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
