/** What one recipient has not acked, from the cursors and the logs. */

import { isDeliverable, isPastTtl, membershipEnd } from '../core/delivery.ts';
import type { Rule } from '../core/rule.ts';
import type { OwedSession } from './bindings.ts';
import type { HubParts } from './parts.ts';
import { logPages } from './read-pages.ts';
import { owedSessions } from './resume.ts';

interface Stretch {
  readonly session_id: string;
  readonly from: number;
  readonly to: number;
  readonly acked: ReadonlySet<number>;
}

/** The heads alone say how many there are at most. Logs are read only if that many would matter. */
export async function countPending(
  parts: HubParts,
  agentId: string,
  { max_pending, high_water }: Rule['limits']['inbox'],
): Promise<{ readonly pending: number; readonly exact: boolean }> {
  const release = parts.cursors.hold(agentId);
  try {
    await parts.cursors.load(agentId);
    const owed = [...(await owedSessions(parts, agentId)).values()];
    const stretches = owed.flatMap((one) => stretchOf(parts, agentId, one) ?? []);
    const most = stretches.reduce((sum, { from, to }) => sum + to + 1 - from, 0);
    if (most < Math.min(max_pending, high_water ?? max_pending)) return { pending: most, exact: false };
    let pending = 0;
    for (const stretch of stretches) pending += await countIn(parts, agentId, stretch);
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

async function countIn(parts: HubParts, agentId: string, { session_id, from, to, acked }: Stretch): Promise<number> {
  let pending = 0;
  for await (const entries of logPages(parts.store, session_id, from, to)) {
    for (const { envelope } of entries) {
      if (acked.has(envelope.seq) || isPastTtl(envelope, parts.clock.now())) continue;
      if (isDeliverable(envelope, agentId, to)) pending += 1;
    }
  }
  return pending;
}
