/** Finds the deliveries owed to one agent: the sessions to catch up, and how many of their envelopes are unacked. */

import { isoFromMs } from '../../core/lib/time.ts';
import type { StoredHead } from '../../core/ports/store.ts';
import type { Rule } from '../../core/records/access/rule.ts';
import { isDeliverable, isPastTtl, membershipEnd } from '../../core/records/session/delivery.ts';
import type { Envelope } from '../../core/records/session/envelope.ts';
import type { Head } from '../../core/records/session/unit.ts';
import type { Access } from '../access/access.ts';
import { dropWithheld } from '../access/filter-withheld.ts';
import type { Ground } from '../log/ground.ts';
import { iterateLiveSessions, iterateLog, iterateSessions } from '../log/read-pages.ts';
import type { Cursors } from './cursors.ts';
import type { Skipped } from './skipped-deliveries.ts';

export interface CatchUpSession {
  readonly head: Head;
  readonly epoch: number;
}

/** The agent's live sessions, and those that ended while it may have been away, by id. Stops once `isWanted` is false. */
export async function sessionsToCatchUp(
  { clock, limits, store }: Pick<Ground, 'clock' | 'limits' | 'store'>,
  agentId: string,
  isWanted: () => boolean = () => true,
): Promise<Map<string, CatchUpSession>> {
  const owed = new Map<string, CatchUpSession>();
  if (!isWanted()) return owed;
  for await (const stored of iterateLiveSessions(store, agentId)) {
    if (!isWanted()) return owed;
    noteNewer(owed, intactPart(stored));
  }
  const ended_since = isoFromMs(clock.now() - limits.endedForMs);
  const ended = { participant: agentId, states: ['CLOSED', 'EXPIRED'] as const, ended_since };
  for await (const stored of iterateSessions(store, ended)) {
    if (!isWanted()) return owed;
    noteNewer(owed, intactPart(stored));
  }
  return owed;
}

/** A session that changes during the search may be found twice; the newer head wins. */
export function noteNewer(owed: Map<string, CatchUpSession>, found: CatchUpSession): void {
  const known = owed.get(found.head.session_id);
  if (known === undefined || known.head.seq <= found.head.seq) owed.set(found.head.session_id, found);
}

/** Cuts a damaged log before the damage: only that part can be sent. */
function intactPart({ head, epoch, damaged_from }: StoredHead): CatchUpSession {
  return { head: damaged_from === null ? head : { ...head, seq: Math.min(head.seq, damaged_from - 1) }, epoch };
}

export interface CountPendingNeeds extends Pick<Ground, 'clock' | 'limits' | 'store'> {
  readonly cursors: Cursors;
  readonly access: Access;
}

/** Implemented by the caller of countPending, which tracks skipped envelopes. */
interface PendingCountListener {
  readonly skipped: Pick<Skipped, 'has'>;
  countOut(agentId: string, envelope: Envelope, why: 'expired' | 'denied'): void;
}

interface Stretch {
  readonly session_id: string;
  readonly from: number;
  readonly to: number;
  readonly acked: ReadonlySet<number>;
}

/** Takes an upper bound from the heads; reads the logs only if it reaches a limit. `note` gets each counted envelope. */
export async function countPending(
  needs: CountPendingNeeds,
  inboxes: PendingCountListener,
  agentId: string,
  { max_pending, high_water }: Rule['limits']['inbox'],
  note: (envelope: Envelope) => void,
): Promise<{ readonly pending: number; readonly exact: boolean }> {
  const { cursors } = needs;
  const release = cursors.hold(agentId);
  try {
    await cursors.load(agentId);
    const owed = [...(await sessionsToCatchUp(needs, agentId)).values()];
    const stretches = owed.flatMap((session) => stretchOf(cursors, agentId, session) ?? []);
    const most = stretches.reduce((sum, { from, to }) => sum + to + 1 - from, 0);
    if (most < Math.min(max_pending, high_water ?? max_pending)) return { pending: most, exact: false };
    let pending = 0;
    for (const stretch of stretches) pending += await countIn(needs, inboxes, agentId, stretch, note);
    return { pending, exact: true };
  } finally {
    release();
  }
}

function stretchOf(cursors: Cursors, agentId: string, { head, epoch }: CatchUpSession): Stretch | null {
  const progress = cursors.get(agentId, head.session_id);
  const known = progress?.epoch === epoch ? progress : undefined;
  const from = (known?.seq ?? 0) + 1;
  const to = Math.min(head.seq, membershipEnd(head, agentId));
  return from > to ? null : { session_id: head.session_id, from, to, acked: known?.beyond ?? new Set() };
}

/** Counts a stretch of a log; excludes expired and denied envelopes permanently. */
async function countIn(
  { access, clock, store }: CountPendingNeeds,
  inboxes: PendingCountListener,
  agentId: string,
  { session_id, from, to, acked }: Stretch,
  note: (envelope: Envelope) => void,
): Promise<number> {
  let pending = 0;
  for await (const entries of iterateLog(store, session_id, from, to)) {
    const owed = entries.filter(({ envelope }) => {
      if (acked.has(envelope.seq) || !isDeliverable(envelope, agentId, to)) return false;
      if (inboxes.skipped.has(agentId, envelope)) return false;
      const isExpired = isPastTtl(envelope, clock.now());
      if (isExpired) inboxes.countOut(agentId, envelope, 'expired');
      return !isExpired;
    });
    const allowed = new Set(await dropWithheld(access, agentId, owed));
    for (const entry of owed) {
      if (allowed.has(entry)) note(entry.envelope);
      else inboxes.countOut(agentId, entry.envelope, 'denied');
    }
    pending += allowed.size;
  }
  return pending;
}
