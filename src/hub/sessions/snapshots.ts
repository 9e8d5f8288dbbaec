/** Saves snapshots and finds where the fold of a log starts: the newest snapshot, or the state pinned by a redaction. */

import { canonicalJson, isPlainObject, type Json } from '../../core/lib/json.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { Snapshot, StoredHead } from '../../core/ports/store.ts';
import { digestText } from '../../core/records/session/keys.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLog } from '../log/read-pages.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import type { Redactions } from './redactions.ts';
import { VisibleLineCounts } from './visible-line-counts.ts';

type SnapshotGround = Pick<Ground, 'log' | 'limits' | 'store'>;

interface FoldStartNeeds extends SnapshotGround {
  readonly redactions: Pick<Redactions, 'pinOf'>;
}

/** Part of every fingerprint: raise it with every change to the hub's own fold. */
const FOLD_VERSION = 9;

/** The part of a session a snapshot contains. */
export interface FoldedSession {
  readonly state: SessionState;
  readonly keys: AcceptedKeys;
  readonly tally: VisibleLineCounts;
}

interface Body {
  readonly state: SessionState;
  readonly keys: readonly number[];
  readonly tally: Json;
}

/** Minimum entries between snapshots. The distance doubles, so all snapshots together cost twice the last one. */
export function snapshotGrowth(seq: number, snapshotLength: number): number {
  return Math.max(4 * snapshotLength, seq / 2);
}

/** Saves durable state. A failure loses nothing: the session is folded from an older snapshot. */
export function saveSnapshot(
  { store, log }: Pick<Ground, 'store' | 'log'>,
  adapter: CompleteAdapter,
  folded: FoldedSession,
): void {
  const snapshot = createSnapshot(adapter, folded);
  if (snapshot === null) return;
  try {
    store.saveSnapshot(snapshot);
  } catch (thrown) {
    log.warn('a snapshot could not be saved', { session_id: snapshot.session_id, error: String(thrown) });
  }
}

/** null if the state does not survive JSON. */
export function createSnapshot(adapter: CompleteAdapter, { state, keys, tally }: FoldedSession): Snapshot | null {
  // Only the state of the adapter and evaluators may not be JSON.
  if (!survivesJson(state.adapter_state) || !survivesJson(state.pacing.tallies)) return null;
  const { session_id, epoch, head_seq: seq } = state.metadata;
  // A checked SessionState is valid JSON; the cast is needed only because its interfaces have no index signature.
  const body = { state: state as unknown as Json, keys: keys.flat(seq), tally: tally.toJson() };
  return { session_id, epoch, seq, fingerprint: fingerprintOf(adapter), body };
}

/** The snapshot of this log; null if it is invalid or beyond `upTo`. */
export async function loadSnapshot(
  { store, log, limits }: SnapshotGround,
  { head, epoch }: Pick<StoredHead, 'head' | 'epoch'>,
  adapter: CompleteAdapter,
  upTo: number,
): Promise<FoldedSession | null> {
  if (upTo < limits.snapshotLength) return null;
  try {
    const snapshot = await store.loadSnapshot(head.session_id);
    const fits =
      snapshot !== null &&
      snapshot.epoch === epoch &&
      snapshot.seq <= upTo &&
      snapshot.fingerprint === fingerprintOf(adapter);
    return fits ? parseSnapshot(snapshot, limits.tallyLength) : null;
  } catch (thrown) {
    log.warn('a snapshot could not be read', { session_id: head.session_id, error: String(thrown) });
    return null;
  }
}

/** Parses the body; null if it is incomplete or of another seq. The fingerprint only identifies the writer. */
function parseSnapshot({ session_id, seq, body }: Snapshot, tallyLength: number): FoldedSession | null {
  const { state, keys, tally: saved } = body as unknown as Partial<Body>;
  const isWhole =
    state?.metadata.session_id === session_id && state.metadata.head_seq === seq && state.head.seq === seq;
  const tally = VisibleLineCounts.from(saved, seq, tallyLength);
  if (!isWhole || tally === null || !Array.isArray(keys) || !keys.every(Number.isSafeInteger)) return null;
  return { state, keys: AcceptedKeys.from(keys), tally };
}

const fingerprints = new WeakMap<CompleteAdapter, string>();

function fingerprintOf(adapter: CompleteAdapter): string {
  const known = fingerprints.get(adapter);
  if (known !== undefined) return known;
  const { type, version } = adapter.manifest;
  // A manifest was parsed as JSON when it was registered.
  const digest = digestText(canonicalJson(adapter.manifest as unknown as Json));
  const fingerprint = `${type} ${version} ${digest} fold ${FOLD_VERSION}`;
  fingerprints.set(adapter, fingerprint);
  return fingerprint;
}

/** The newer of snapshot and pin; null if neither is usable. */
export async function loadFoldStart(
  needs: FoldStartNeeds,
  stored: StoredHead,
  adapter: CompleteAdapter,
  upTo: number,
): Promise<FoldedSession | null> {
  const saved = await loadSnapshot(needs, stored, adapter, upTo);
  const pinned = await loadPinnedState(needs, stored, adapter, upTo);
  return (pinned?.state.head.seq ?? 0) > (saved?.state.head.seq ?? 0) ? pinned : saved;
}

/** The pinned state; null if there is none, or it belongs to another log or another fold. */
export async function loadPinnedState(
  needs: FoldStartNeeds,
  { head, epoch }: Pick<StoredHead, 'head' | 'epoch'>,
  adapter: CompleteAdapter,
  upTo: number,
): Promise<FoldedSession | null> {
  const pin = await needs.redactions.pinOf(head.session_id);
  if (pin === null || pin.seq > upTo || pin.fingerprint !== fingerprintOf(adapter)) return null;
  const folded = parseSnapshot(await withTally(needs, pin), needs.limits.tallyLength);
  if (folded === null) return null;
  const [last] = await needs.store.read(head.session_id, { from_seq: pin.seq, to_seq: pin.seq, limit: 1 });
  // A log that was truncated and continued has a different entry at this seq.
  if (last?.envelope.envelope_id !== folded.state.head.envelope_id) return null;
  const { state } = folded;
  // A copied log has the same history under a different epoch.
  return { ...folded, state: { ...state, metadata: { ...state.metadata, epoch } } };
}

/** Counts the lines again if the interval length changed. */
async function withTally({ store, limits }: SnapshotGround, pin: Snapshot): Promise<Snapshot> {
  const body = pin.body as { readonly [member: string]: Json };
  if (VisibleLineCounts.from(body.tally, pin.seq, limits.tallyLength) !== null) return pin;
  const tally = VisibleLineCounts.empty(limits.tallyLength);
  for await (const entries of iterateLog(store, pin.session_id, 1, pin.seq)) tally.count(entries);
  return { ...pin, body: { ...body, tally: tally.toJson() } };
}

/** Deeper than any sensible state; also ends cycles. */
const MAX_DEPTH = 256;

/** True if the value survives a JSON round trip unchanged. */
export function survivesJson(value: unknown, depth: number = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    const isDense = Object.keys(value).length === value.length;
    return isDense && value.every((item) => survivesJson(item, depth + 1));
  }
  if (!isPlainObject(value) || Object.getOwnPropertySymbols(value).length > 0) return false;
  const names = Object.getOwnPropertyNames(value);
  const hasHidden = names.length !== Object.keys(value).length || names.includes('__proto__');
  return !hasHidden && Object.values(value).every((member) => survivesJson(member, depth + 1));
}
