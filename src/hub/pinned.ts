/** From where a log is folded: its newest snapshot, or the state that was pinned when something of it was redacted. */

import type { CompleteAdapter } from '../core/ports/adapter.ts';
import type { Json } from '../core/lib/json.ts';
import type { Snapshot, StoredHead } from '../core/ports/store.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './log/read-pages.ts';
import { type Folded, fingerprintOf, foldedIn, loadSnapshot } from './snapshots.ts';
import { Tally } from './sessions/visible-line-counts.ts';

/** The newer of the two that stands for a part of this log up to `upTo`; null = neither does. */
export async function loadStart(
  parts: HubParts,
  stored: StoredHead,
  adapter: CompleteAdapter,
  upTo: number,
): Promise<Folded | null> {
  const saved = await loadSnapshot(parts, stored, adapter, upTo);
  const pinned = await loadPin(parts, stored, adapter, upTo);
  return (pinned?.state.head.seq ?? 0) > (saved?.state.head.seq ?? 0) ? pinned : saved;
}

/** What was pinned; null = nothing was, or it is not of this log, or something else folded it. */
export async function loadPin(
  parts: HubParts,
  { head, epoch }: Pick<StoredHead, 'head' | 'epoch'>,
  adapter: CompleteAdapter,
  upTo: number,
): Promise<Folded | null> {
  const pin = await parts.redactions.pinOf(head.session_id);
  if (pin === null || pin.seq > upTo || pin.fingerprint !== fingerprintOf(adapter)) return null;
  const folded = foldedIn(await withTally(parts, pin), parts.limits.tallyLength);
  if (folded === null) return null;
  const [last] = await parts.store.read(head.session_id, { from_seq: pin.seq, to_seq: pin.seq, limit: 1 });
  // A log that was cut and went on has another entry there.
  if (last?.envelope.envelope_id !== folded.state.head.envelope_id) return null;
  const { state } = folded;
  // A copy of the log has the same past under another number.
  return { ...folded, state: { ...state, metadata: { ...state.metadata, epoch } } };
}

/** Lines are counted anew if their intervals are others now: that needs nothing of what was said. */
async function withTally({ store, limits }: HubParts, pin: Snapshot): Promise<Snapshot> {
  const body = pin.body as { readonly [member: string]: Json };
  if (Tally.from(body.tally, pin.seq, limits.tallyLength) !== null) return pin;
  const tally = Tally.empty(limits.tallyLength);
  for await (const entries of logPages(store, pin.session_id, 1, pin.seq)) tally.count(entries);
  return { ...pin, body: { ...body, tally: tally.toJson() } };
}
