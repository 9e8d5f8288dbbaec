/** Folds a session again from its first entry and compares it with what was saved of it. */

import { asError } from '../core/lib/errors.ts';
import { canonicalJson, type Json } from '../core/lib/json.ts';
import { foldEnvelope, type SessionState } from '../core/state/state.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import type { HubParts } from './parts.ts';
import { loadPin } from './pinned.ts';
import { logPages } from './log/read-pages.ts';
import { loadSnapshot } from './snapshots.ts';
import { rulesOf } from './extensions/resolve-adapter.ts';
import { Tally } from './sessions/visible-line-counts.ts';

/** What is wrong with the snapshot of a session; null = it is right, or there is none that would be used. */
export async function checkSnapshot(parts: HubParts, sessionId: string): Promise<string | null> {
  const stored = await parts.store.head(sessionId);
  if (stored === null || stored.damaged_from !== null) return null;
  const { head, epoch } = stored;
  const found = await rulesOf(parts, stored);
  if ('missing' in found) return null;
  const { adapter, watch } = found;
  const saved = await loadSnapshot(parts, stored, adapter, head.seq);
  if (saved === null) return null;
  const { seq } = saved.state.head;
  // What was redacted may be gone: from where its state was pinned on the log can be folded.
  const pinned = await loadPin(parts, stored, adapter, seq);
  const keys = pinned?.keys ?? AcceptedKeys.from([]);
  const tally = pinned?.tally ?? Tally.empty(parts.limits.tallyLength);
  let state: SessionState | null = pinned?.state ?? null;
  try {
    for await (const entries of logPages(parts.store, sessionId, (pinned?.state.head.seq ?? 0) + 1, seq)) {
      // The snapshot is older than what was pinned, and no longer to be checked.
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
  // A state that was saved is JSON; its interfaces only lack an index signature.
  return canonicalJson(a as unknown as Json) === canonicalJson(b as unknown as Json);
}
