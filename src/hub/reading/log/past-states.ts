/** A session as it was at a seq: its log folded again up to there, from the newest state before it that may be used. */

import type { CompleteAdapter } from '../../../core/ports/adapter.ts';
import { asError } from '../../../core/lib/errors.ts';
import type { Watch } from '../../../core/ports/expectation.ts';
import { foldEnvelope, type SessionState } from '../../../core/state/state.ts';
import type { StoredHead } from '../../../core/ports/store.ts';
import { LatestOf } from '../../lib/lru-cache.ts';
import type { LiveSession } from '../../sessions/live-session.ts';
import type { HubParts } from '../../parts.ts';
import { loadPin } from '../../pinned.ts';
import { logPages } from '../../log/read-pages.ts';
import { loadSnapshot } from '../../snapshots.ts';

/** Whoever scrubs forward goes on from where it was; a state may be large. */
const KEPT = 16;

export interface PastState {
  readonly state: SessionState;
  readonly adapter: CompleteAdapter | null;
  readonly watch: Watch | null;
  readonly unavailable: string | null;
}

interface Kept {
  readonly state: SessionState;
  readonly adapter: CompleteAdapter;
  readonly epoch: number;
  /** Redactions there were: a state that is older may hold what was hidden since. */
  readonly redactions: number;
}

export class PastStates {
  private readonly parts: HubParts;
  private readonly kept = new LatestOf<Kept>(KEPT);

  constructor(parts: HubParts) {
    this.parts = parts;
  }

  /** `atSeq` is of the log, and not its head: that one is in memory. */
  at(session: LiveSession, stored: Pick<StoredHead, 'head' | 'epoch'>, atSeq: number): Promise<PastState> {
    return this.parts.looks.run(() => this.folded(session, stored, atSeq));
  }

  private async folded(
    session: LiveSession,
    stored: Pick<StoredHead, 'head' | 'epoch'>,
    atSeq: number,
  ): Promise<PastState> {
    const { adapter, watch } = session;
    const plain = async (why: string): Promise<PastState> => {
      const state = await this.fold(null, stored, { adapter: null, watch: null }, atSeq);
      return { state, adapter: null, watch: null, unavailable: why };
    };
    if (adapter === null) return plain(session.unavailable ?? 'its adapter is missing');
    const start = await this.startOf(stored, adapter, atSeq);
    if (start === 'hidden') {
      return plain('something that was said before was redacted: what its type made of it then is not shown');
    }
    try {
      const state = await this.fold(start, stored, { adapter, watch }, atSeq);
      const { epoch } = stored;
      this.kept.set(stored.head.session_id, { state, adapter, epoch, redactions: this.parts.redactions.count });
      return { state, adapter, watch, unavailable: null };
    } catch (thrown) {
      return plain(`folding its log failed: ${asError(thrown).message}`);
    }
  }

  /** From where to fold; null = from the first entry. 'hidden' = a state then would show what was redacted since. */
  private async startOf(
    stored: Pick<StoredHead, 'head' | 'epoch'>,
    adapter: CompleteAdapter,
    atSeq: number,
  ): Promise<SessionState | null | 'hidden'> {
    const { parts } = this;
    const { session_id } = stored.head;
    const redacted = parts.redactions.inSession(session_id);
    if (redacted.some(({ seq }) => seq <= atSeq)) {
      // The state that was kept with the newest redaction holds nothing of any.
      const pin = redacted.at(-1)?.pinnedAt == null ? null : await loadPin(parts, stored, adapter, atSeq);
      return pin?.state ?? 'hidden';
    }
    const kept = this.kept.get(session_id);
    const isUsable =
      kept?.adapter === adapter &&
      kept.epoch === stored.epoch &&
      kept.redactions === parts.redactions.count &&
      kept.state.head.seq <= atSeq;
    const saved = await loadSnapshot(parts, stored, adapter, atSeq);
    const near = isUsable ? kept.state : null;
    return (near?.head.seq ?? 0) > (saved?.state.head.seq ?? 0) ? near : (saved?.state ?? null);
  }

  /** A page at a time: others are served in between. */
  private async fold(
    start: SessionState | null,
    { head, epoch }: Pick<StoredHead, 'head' | 'epoch'>,
    { adapter, watch }: { readonly adapter: CompleteAdapter | null; readonly watch: Watch | null },
    atSeq: number,
  ): Promise<SessionState> {
    let state = start;
    for await (const entries of logPages(this.parts.store, head.session_id, (start?.head.seq ?? 0) + 1, atSeq)) {
      for (const { envelope, turn } of entries) {
        state = foldEnvelope(state, envelope, { adapter, epoch, watch, recorded: turn });
      }
    }
    if (state === null) throw new Error(`log ${head.session_id} has no entries`);
    return state;
  }
}
