/** A process says that it works on the run for longer than one call; others are refused meanwhile. */

import { RunnerRefusal } from '../../../../governed/runner/contract/failure.ts';
import { isForgotten, LEASE_SECONDS } from '../lease.ts';
import type { OpenRun } from '../open-run.ts';
import { requireRun } from '../../../../governed/runner/project/take-over.ts';
import type { LockTaken } from '../../../../governed/runner/contract/types.ts';

/** `owner`: whoever asks, which may be another process than the one that has the log. */
export interface LockArgs {
  readonly owner?: string;
}

export async function acquireLock(run: OpenRun, { owner = run.means.kept.owner }: LockArgs): Promise<LockTaken> {
  const { log } = await requireRun(run);
  const { lease } = log.record.state;
  const isFree = lease === null || lease.owner === owner || isForgotten(lease, run.means.clock.now());
  if (!isFree) {
    const error = `the run is held by ${lease.owner} until ${lease.expires_at}`;
    throw new RunnerRefusal('lock_timeout', error, { error_type: 'lease_held', details: { lease } });
  }
  await log.post('lease.taken', { owner, seconds: LEASE_SECONDS, takes_over: lease?.fence ?? null });
  const taken = log.record.state.lease;
  if (taken === null) throw new Error('a lease was taken and is not there');
  run.means.kept.fences.set(log.sessionId, taken.fence);
  return { ok: true, owner, fence: taken.fence, expires_at: taken.expires_at };
}

/** Of one's own; there is nothing to do about another's. */
export async function releaseLock(run: OpenRun, { owner = run.means.kept.owner }: LockArgs): Promise<{ ok: true }> {
  const { current } = run.logs;
  const lease = current?.record.state.lease ?? null;
  if (current?.isOpen === true && lease?.owner === owner) {
    await current.post('lease.released', { fence: lease.fence });
  }
  if (current !== null) run.means.kept.fences.delete(current.sessionId);
  return { ok: true };
}
