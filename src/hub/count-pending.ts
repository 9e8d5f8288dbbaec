/** What one recipient has not acked, from the cursors and the logs. */

import { isDeliverable, isPastTtl, membershipEnd } from '../core/records/session/delivery.ts';
import type { Envelope } from '../core/records/session/envelope.ts';
import type { Rule } from '../core/records/access/rule.ts';
import type { OwedSession } from './bindings.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './log/read-pages.ts';
import { owedSessions } from './resume.ts';
import { notWithheld } from './access/filter-withheld.ts';

interface Stretch {
  readonly session_id: string;
  readonly from: number;
  readonly to: number;
  readonly acked: ReadonlySet<number>;
}

/** The heads alone say how many there are at most. Logs are read only if that many would matter; `note` is told what is counted. */
export async function countPending(
  parts: HubParts,
  agentId: string,
  { max_pending, high_water }: Rule['limits']['inbox'],
  note: (envelope: Envelope) => void,
): Promise<{ readonly pending: number; readonly exact: boolean }> {
  const release = parts.cursors.hold(agentId);
  try {
    await parts.cursors.load(agentId);
    const owed = [...(await owedSessions(parts, agentId)).values()];
    const stretches = owed.flatMap((one) => stretchOf(parts, agentId, one) ?? []);
    const most = stretches.reduce((sum, { from, to }) => sum + to + 1 - from, 0);
    if (most < Math.min(max_pending, high_water ?? max_pending)) return { pending: most, exact: false };
    let pending = 0;
    for (const stretch of stretches) pending += await countIn(parts, agentId, stretch, note);
    return { pending, exact: true };
  } finally {
    release();
  }
}

function stretchOf({ cursors }: HubParts, agentId: string, { head, epoch }: OwedSession): Stretch | null {
  const progress = cursors.get(agentId, head.session_id);
  const known = progress?.epoch === epoch ? progress : undefined;
  const from = (known?.seq ?? 0) + 1;
  const to = Math.min(head.seq, membershipEnd(head, agentId));
  return from > to ? null : { session_id: head.session_id, from, to, acked: known?.beyond ?? new Set() };
}

/** What is past its time, or not to be had, does not count, and never will. */
async function countIn(
  parts: HubParts,
  agentId: string,
  { session_id, from, to, acked }: Stretch,
  note: (envelope: Envelope) => void,
): Promise<number> {
  const { inboxes, gate, clock, store } = parts;
  let pending = 0;
  for await (const entries of logPages(store, session_id, from, to)) {
    const owed = entries.filter(({ envelope }) => {
      if (acked.has(envelope.seq) || !isDeliverable(envelope, agentId, to)) return false;
      if (inboxes.isCountedOut(agentId, envelope)) return false;
      const isExpired = isPastTtl(envelope, clock.now());
      if (isExpired) inboxes.countOutExpired(agentId, envelope);
      return !isExpired;
    });
    const allowed = new Set(await notWithheld(gate, agentId, owed));
    for (const entry of owed) {
      if (allowed.has(entry)) note(entry.envelope);
      else inboxes.countOutDenied(agentId, entry.envelope);
    }
    pending += allowed.size;
  }
  return pending;
}
