/** Loads a session from its newest usable snapshot and the later entries, up to its head or its damage. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { asError, type WireError } from '../../core/lib/errors.ts';
import type { CompleteAdapter } from '../../core/ports/adapter.ts';
import type { StoredHead } from '../../core/ports/store.ts';
import type { Envelope, Turn } from '../../core/records/session/envelope.ts';
import type { Manifest } from '../../core/records/session/session.ts';
import type { Entry } from '../../core/records/session/unit.ts';
import { foldEnvelope, type SessionState } from '../../core/state/state.ts';
import { type Extensions, resolveAdapter } from '../extensions/resolve-adapter.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLog } from '../log/read-pages.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import type { LiveIndex } from './live-index.ts';
import { type LoadedLog, unavailableSessionError } from './live-session.ts';
import type { Redactions } from './redactions.ts';
import { type FoldedSession, loadFoldStart } from './snapshots.ts';
import { VisibleLineCounts } from './visible-line-counts.ts';

interface LoadSessionNeeds extends Ground, Extensions {
  readonly index: Pick<LiveIndex, 'forget'>;
  readonly redactions: Redactions;
}

/** The adapter and expectations that fold a log; without an adapter there are no expectations. */
type Rules = Pick<LoadedLog, 'adapter' | 'watch'>;
const NO_RULES: Rules = { adapter: null, watch: null };
type Replayed = Pick<LoadedLog, 'state' | 'keys' | 'tally' | 'tail' | 'snapshotSeq'>;

export async function loadSession(needs: LoadSessionNeeds, sessionId: string): Promise<LoadedLog | WireError> {
  const stored = await needs.store.head(sessionId);
  if (stored === null) return sessionNotFoundError(sessionId);
  if (stored.damaged_from !== null) return loadDamaged(needs, stored, stored.damaged_from);
  try {
    return await loadSound(needs, stored);
  } catch (thrown) {
    // The store may find damage only on reading; its head then says where the damage starts.
    const again = await needs.store.head(sessionId);
    if (again === null || again.damaged_from === null) throw thrown;
    return loadDamaged(needs, again, again.damaged_from);
  }
}

async function loadSound(needs: LoadSessionNeeds, stored: StoredHead): Promise<LoadedLog> {
  const found = await resolveAdapter(needs, stored);
  if ('missing' in found) return loadUnavailable(needs, stored, found.missing);
  try {
    return loadedLog(stored, found, null, await replay(needs, stored, found, stored.head.seq));
  } catch (thrown) {
    if (!(thrown instanceof FoldError)) throw thrown;
    return loadUnavailable(needs, stored, `folding its log failed: ${thrown.message}`);
  }
}

/** Without its adapter a session can still be read, closed, and expire. */
async function loadUnavailable(needs: LoadSessionNeeds, stored: StoredHead, reason: string): Promise<LoadedLog> {
  needs.events.emit('sessionUnavailable', { session_id: stored.head.session_id, reason });
  const replayed = await replay(needs, stored, NO_RULES, stored.head.seq);
  return loadedLog(stored, NO_RULES, reason, { ...replayed, state: withDueOf(stored, replayed.state) });
}

/** A damaged session is readable up to the damage. Nothing is appended or due until the log is repaired. */
async function loadDamaged(
  needs: LoadSessionNeeds,
  stored: StoredHead,
  damagedFrom: number,
): Promise<LoadedLog | WireError> {
  const { session_id, seq } = stored.head;
  const reason = `corrupt: its log is damaged from seq ${damagedFrom} on; stop the hub and repair it (openStore, store.repair)`;
  needs.index.forget(session_id);
  needs.events.emit('sessionUnavailable', { session_id, reason });
  const last = Math.min(seq, damagedFrom - 1);
  if (last < 1) return unavailableSessionError(session_id, reason);
  const found = await resolveAdapter(needs, stored);
  const rules = 'missing' in found ? NO_RULES : found;
  const replayed = await replay(needs, stored, rules, last).catch((thrown: unknown) => {
    if (!(thrown instanceof FoldError)) throw thrown;
    return replay(needs, stored, NO_RULES, last);
  });
  return { ...loadedLog(stored, NO_RULES, reason, replayed), damaged: true };
}

/** Without the adapter the deadlines are unknown: use those recorded in the head. */
function withDueOf({ head }: StoredHead, state: SessionState | null): SessionState | null {
  if (state === null) return null;
  const { due_at = null, awaits } = head;
  return { ...state, head: { ...state.head, due_at, ...(awaits === undefined ? {} : { awaits }) } };
}

function loadedLog(
  stored: StoredHead,
  { adapter, watch }: Rules,
  unavailable: string | null,
  replayed: Replayed,
): LoadedLog {
  const { head, token, epoch } = stored;
  const owesTurn = unavailable === null && !isSameTurn(head.turn, replayed.state?.head.turn ?? null);
  return {
    sessionId: head.session_id,
    epoch,
    adapter,
    watch,
    unavailable,
    damaged: false,
    owesTurn,
    token,
    ...replayed,
  };
}

function isSameTurn(a: Turn | null, b: Turn | null): boolean {
  return a?.agent_id === b?.agent_id && a?.since_seq === b?.since_seq;
}

async function replay(needs: LoadSessionNeeds, stored: StoredHead, rules: Rules, upTo: number): Promise<Replayed> {
  const { adapter } = rules;
  const start = adapter === null ? null : await loadFoldStart(needs, stored, adapter, upTo);
  try {
    return await foldLog(start, needs, stored, rules, upTo);
  } catch (thrown) {
    // Fold from the start if the snapshot does not match the log.
    if (start === null || !(thrown instanceof FoldError)) throw thrown;
    return foldLog(null, needs, stored, rules, upTo);
  }
}

async function foldLog(
  start: FoldedSession | null,
  { store, limits, stamper }: LoadSessionNeeds,
  { head, epoch }: StoredHead,
  { adapter, watch }: Rules,
  upTo: number,
): Promise<Replayed> {
  const keys = start?.keys ?? AcceptedKeys.from([]);
  const tally = start?.tally ?? VisibleLineCounts.empty(limits.tallyLength);
  const snapshotSeq = start?.state.head.seq ?? 0;
  let state = start === null ? null : shareManifest(start.state, adapter);
  let tail: Entry[] = [];
  for await (const entries of iterateLog(store, head.session_id, snapshotSeq + 1, upTo)) {
    for (const { envelope, turn } of entries) {
      if (adapter !== null && envelope.redacted !== undefined) throw cannotFold(envelope);
      const before: SessionState | null = state;
      state = foldSafely(before, envelope, { adapter, epoch, watch, recorded: turn });
      if (before === null) state = shareManifest(state, adapter);
    }
    keys.add(entries);
    tally.count(entries);
    tail = [...tail, ...entries].slice(-limits.tailLength);
  }
  stamper.observe(head.envelope_id);
  return { state, keys, tally, tail, snapshotSeq };
}

class FoldError extends Error {}

/** The content is redacted, so the adapter's state can only come from a pin. */
function cannotFold({ seq }: Envelope): FoldError {
  return new FoldError(`seq ${seq} was redacted, and the state saved with the redaction does not fit this hub`);
}

function foldSafely(...[state, envelope, context]: Parameters<typeof foldEnvelope>): SessionState {
  try {
    return foldEnvelope(state, envelope, context);
  } catch (thrown) {
    throw new FoldError(`seq ${envelope.seq}: ${asError(thrown).message}`, { cause: thrown });
  }
}

/** Shares the adapter's manifest object instead of keeping a copy per session. */
function shareManifest(state: SessionState, adapter: CompleteAdapter | null): SessionState {
  const { metadata } = state;
  if (adapter === null || metadata.manifest === adapter.manifest) return state;
  if (JSON.stringify(metadata.manifest) !== textOf(adapter.manifest)) return state;
  return { ...state, metadata: Object.freeze({ ...metadata, manifest: adapter.manifest }) };
}

const texts = new WeakMap<Manifest, string>();

function textOf(manifest: Manifest): string {
  const text = texts.get(manifest) ?? JSON.stringify(manifest);
  texts.set(manifest, text);
  return text;
}
