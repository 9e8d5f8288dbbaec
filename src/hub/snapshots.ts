/** A state saved beside its log, so that loading a long session need not begin at its first entry. */

import type { CompleteAdapter } from '../core/ports/adapter.ts';
import { canonicalJson, type Json } from '../core/lib/json.ts';
import { digestText } from '../core/records/session/keys.ts';
import type { SessionState } from '../core/state/state.ts';
import type { Snapshot, StoredHead } from '../core/ports/store.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import type { HubParts } from './parts.ts';
import { survivesJson } from './survives-json.ts';
import { Tally } from './sessions/visible-line-counts.ts';

/** Part of every fingerprint: any change to what the hub's own fold makes of a log needs a new number. */
const FOLD_VERSION = 9;

/** A session as far as a snapshot speaks of it. */
export interface Folded {
  readonly state: SessionState;
  readonly keys: AcceptedKeys;
  readonly tally: Tally;
}

/** What is kept of it. */
interface Body {
  readonly state: SessionState;
  readonly keys: readonly number[];
  readonly tally: Json;
}

/** How many entries a session grows by before its next snapshot: it doubles, so all of them together cost what two of the last one do. */
export function snapshotGrowth(seq: number, snapshotLength: number): number {
  return Math.max(4 * snapshotLength, seq / 2);
}

/** Only of what is durable. One that cannot be saved is no loss: the session is folded from an older one or its start. */
export function saveSnapshot(parts: HubParts, adapter: CompleteAdapter, folded: Folded): void {
  const snapshot = snapshotOf(adapter, folded);
  if (snapshot === null) return;
  try {
    parts.store.saveSnapshot(snapshot);
  } catch (thrown) {
    parts.log.warn('a snapshot could not be saved', { session_id: snapshot.session_id, error: String(thrown) });
  }
}

/** null = it would not come back from JSON as it is. */
export function snapshotOf(adapter: CompleteAdapter, { state, keys, tally }: Folded): Snapshot | null {
  // What adapter and evaluators keep is the only part that is not JSON by construction.
  if (!survivesJson(state.adapter_state) || !survivesJson(state.pacing.tallies)) return null;
  const { session_id, epoch, head_seq: seq } = state.metadata;
  // A SessionState is JSON then; its interfaces only lack an index signature.
  const body = { state: state as unknown as Json, keys: keys.flat(seq), tally: tally.toJson() };
  return { session_id, epoch, seq, fingerprint: fingerprintOf(adapter), body };
}

/** The newest snapshot that stands for a part of this log up to `upTo`; null = there is none that fits. */
export async function loadSnapshot(
  parts: HubParts,
  { head, epoch }: Pick<StoredHead, 'head' | 'epoch'>,
  adapter: CompleteAdapter,
  upTo: number,
): Promise<Folded | null> {
  if (upTo < parts.limits.snapshotLength) return null;
  try {
    const snapshot = await parts.store.loadSnapshot(head.session_id);
    const fits =
      snapshot !== null &&
      snapshot.epoch === epoch &&
      snapshot.seq <= upTo &&
      snapshot.fingerprint === fingerprintOf(adapter);
    return fits ? foldedIn(snapshot, parts.limits.tallyLength) : null;
  } catch (thrown) {
    parts.log.warn('a snapshot could not be read', { session_id: head.session_id, error: String(thrown) });
    return null;
  }
}

/** A fingerprint says who wrote the body; what is looked at is that it is whole and of that seq. */
export function foldedIn({ session_id, seq, body }: Snapshot, tallyLength: number): Folded | null {
  const { state, keys, tally: saved } = body as unknown as Partial<Body>;
  const isWhole =
    state?.metadata.session_id === session_id && state.metadata.head_seq === seq && state.head.seq === seq;
  const tally = Tally.from(saved, seq, tallyLength);
  if (!isWhole || tally === null || !Array.isArray(keys) || !keys.every(Number.isSafeInteger)) return null;
  return { state, keys: AcceptedKeys.from(keys), tally };
}

const fingerprints = new WeakMap<CompleteAdapter, string>();

export function fingerprintOf(adapter: CompleteAdapter): string {
  const known = fingerprints.get(adapter);
  if (known !== undefined) return known;
  const { type, version } = adapter.manifest;
  // A manifest was parsed as JSON when it was registered.
  const digest = digestText(canonicalJson(adapter.manifest as unknown as Json));
  const fingerprint = `${type} ${version} ${digest} fold ${FOLD_VERSION}`;
  fingerprints.set(adapter, fingerprint);
  return fingerprint;
}
