/** Folds a session again from its first entry and compares it with what was saved of it. */

import { asError } from '../core/errors.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import { foldEnvelope, type SessionState } from '../core/state.ts';
import { AcceptedKeys } from './accepted-keys.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './read-pages.ts';
import { loadSnapshot } from './snapshots.ts';
import { rulesOf } from './tailor.ts';
import { Tally } from './tally.ts';

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
  const keys = AcceptedKeys.from([]);
  const tally = Tally.empty(parts.limits.tallyLength);
  let state: SessionState | null = null;
  try {
    for await (const entries of logPages(parts.store, sessionId, 1, seq)) {
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
