/** Folds logs again, for the state of a session at an earlier seq and to check a snapshot against its log. */

import { asError } from '../../../core/lib/errors.ts';
import { canonicalJson, type Json } from '../../../core/lib/json.ts';
import type { CompleteAdapter } from '../../../core/ports/adapter.ts';
import type { ExpectationSet } from '../../../core/ports/expectation.ts';
import type { StoredHead } from '../../../core/ports/store.ts';
import { foldEnvelope, type SessionState } from '../../../core/state/state.ts';
import { type Extensions, resolveAdapter } from '../../extensions/resolve-adapter.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { iterateLog } from '../../log/read-pages.ts';
import { AcceptedKeys } from '../../sessions/accepted-keys.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import { loadPinnedState, loadSnapshot } from '../../sessions/snapshots.ts';
import { VisibleLineCounts } from '../../sessions/visible-line-counts.ts';
import type { ReadingRooms } from './read-access.ts';

type StoredLog = Pick<StoredHead, 'head' | 'epoch'>;
type PastRooms = Pick<ReadingRooms, 'log' | 'limits' | 'store' | 'redactions'>;

/** Maximum past states cached, so that stepping forward continues from the last one. Few, because states may be large. */
const KEPT = 16;

export interface PastState {
  readonly state: SessionState;
  readonly adapter: CompleteAdapter | null;
  readonly watch: ExpectationSet | null;
  readonly unavailable: string | null;
}

interface Kept {
  readonly state: SessionState;
  readonly adapter: CompleteAdapter;
  readonly epoch: number;
  /** Number of redactions when the state was cached: it may hold content redacted since. */
  readonly redactions: number;
}

export class PastStates {
  private readonly rooms: PastRooms & Pick<ReadingRooms, 'looks'>;
  private readonly kept = new LruCache<Kept>(KEPT);

  constructor(rooms: PastRooms & Pick<ReadingRooms, 'looks'>) {
    this.rooms = rooms;
  }

  /** The state at `atSeq`, which must be before the head. */
  at(session: LiveSession, stored: StoredLog, atSeq: number): Promise<PastState> {
    return this.rooms.looks.run(() => this.folded(session, stored, atSeq));
  }

  private async folded(session: LiveSession, stored: StoredLog, atSeq: number): Promise<PastState> {
    const { adapter, watch } = session;
    const plain = async (why: string): Promise<PastState> => {
      const state = await this.fold(null, stored, { adapter: null, watch: null }, atSeq);
      return { state, adapter: null, watch: null, unavailable: why };
    };
    if (adapter === null) return plain(session.unavailable ?? 'its adapter is missing');
    const start = await this.startOf(stored, adapter, atSeq);
    if (start === 'hidden') {
      return plain('an earlier envelope was redacted, so the adapter state of that time is not shown');
    }
    try {
      const state = await this.fold(start, stored, { adapter, watch }, atSeq);
      const { epoch } = stored;
      this.kept.set(stored.head.session_id, { state, adapter, epoch, redactions: this.rooms.redactions.count });
      return { state, adapter, watch, unavailable: null };
    } catch (thrown) {
      return plain(`folding its log failed: ${asError(thrown).message}`);
    }
  }

  /** The state to continue from; null to fold from the first entry; 'hidden' if it would show redacted content. */
  private async startOf(
    stored: StoredLog,
    adapter: CompleteAdapter,
    atSeq: number,
  ): Promise<SessionState | null | 'hidden'> {
    const { rooms } = this;
    const { session_id } = stored.head;
    const redacted = rooms.redactions.inSession(session_id);
    if (redacted.some(({ seq }) => seq <= atSeq)) {
      // The state pinned with the newest redaction holds no redacted content.
      const pin = redacted.at(-1)?.pinnedAt == null ? null : await loadPinnedState(rooms, stored, adapter, atSeq);
      return pin?.state ?? 'hidden';
    }
    const kept = this.kept.get(session_id);
    const isUsable =
      kept?.adapter === adapter &&
      kept.epoch === stored.epoch &&
      kept.redactions === rooms.redactions.count &&
      kept.state.head.seq <= atSeq;
    const saved = await loadSnapshot(rooms, stored, adapter, atSeq);
    const near = isUsable ? kept.state : null;
    return (near?.head.seq ?? 0) > (saved?.state.head.seq ?? 0) ? near : (saved?.state ?? null);
  }

  /** Folds a page at a time, so that other work runs in between. */
  private async fold(
    start: SessionState | null,
    { head, epoch }: StoredLog,
    { adapter, watch }: { readonly adapter: CompleteAdapter | null; readonly watch: ExpectationSet | null },
    atSeq: number,
  ): Promise<SessionState> {
    let state = start;
    for await (const entries of iterateLog(this.rooms.store, head.session_id, (start?.head.seq ?? 0) + 1, atSeq)) {
      for (const { envelope, turn } of entries) {
        state = foldEnvelope(state, envelope, { adapter, epoch, watch, recorded: turn });
      }
    }
    if (state === null) throw new Error(`log ${head.session_id} has no entries`);
    return state;
  }
}

/** The problem of a session's snapshot; null if it is correct or no usable snapshot exists. */
export async function checkSnapshot(
  rooms: PastRooms & Omit<Extensions, 'views'>,
  sessionId: string,
): Promise<string | null> {
  const stored = await rooms.store.head(sessionId);
  if (stored === null || stored.damaged_from !== null) return null;
  const { head, epoch } = stored;
  const found = await resolveAdapter(rooms, stored);
  if ('missing' in found) return null;
  const { adapter, watch } = found;
  const saved = await loadSnapshot(rooms, stored, adapter, head.seq);
  if (saved === null) return null;
  const { seq } = saved.state.head;
  // Redacted content may be missing from the log, so fold from the pinned state on.
  const pinned = await loadPinnedState(rooms, stored, adapter, seq);
  const keys = pinned?.keys ?? AcceptedKeys.from([]);
  const tally = pinned?.tally ?? VisibleLineCounts.empty(rooms.limits.tallyLength);
  let state: SessionState | null = pinned?.state ?? null;
  try {
    for await (const entries of iterateLog(rooms.store, sessionId, (pinned?.state.head.seq ?? 0) + 1, seq)) {
      // The snapshot is older than the pinned state and cannot be checked any more.
      if (entries.some(({ envelope }) => envelope.redacted !== undefined)) return null;
      for (const { envelope } of entries) state = foldEnvelope(state, envelope, { adapter, epoch, watch });
      keys.add(entries);
      tally.count(entries);
    }
  } catch (thrown) {
    return `folding it again fails: ${asError(thrown).message}`;
  }
  const isSame =
    same(state, saved.state) &&
    keys.flat(seq).join() === saved.keys.flat(seq).join() &&
    canonicalJson(tally.toJson()) === canonicalJson(saved.tally.toJson());
  return isSame ? null : `its snapshot at seq ${seq} is not what its log folds to`;
}

function same(a: SessionState | null, b: SessionState): boolean {
  // A saved state is JSON; its interfaces only lack an index signature.
  return canonicalJson(a as unknown as Json) === canonicalJson(b as unknown as Json);
}
