/** What a session waits for, as its entries say, and when the first of it becomes a violation. */

import { checkedList } from './check-expected.ts';
import type { Wait, WaitContext, Watch, WatchedEntry } from './expectation.ts';
import { participantOf, type SessionMetadata } from './session.ts';
import { isTime } from './time.ts';

/** What an evaluator looks at, but for the parameters of its entry. */
export type Watched = Omit<WaitContext, 'params'>;

/** The waits of one entry that have not fired and apply. Throws what its evaluator throws. */
export function openWaits({ index, entry, evaluator }: WatchedEntry, watched: Watched): readonly Wait[] {
  const { metadata, pacing } = watched;
  if (metadata.state !== 'ACTIVE' && metadata.state !== 'INVITED') return NONE;
  const waits = checkedList(evaluator, evaluator.waits(contextOf(entry.params, watched)));
  const fired = pacing.fired[index];
  const to = entry.applies_to;
  if (waits.length === 0 || (fired === undefined && to === undefined)) return waits;
  return waits.filter(
    ({ agent_id, since_seq }) => fired?.[agent_id ?? ''] !== since_seq && appliesTo(to, agent_id, metadata),
  );
}

const NONE: readonly Wait[] = [];

export function contextOf(params: WaitContext['params'], watched: Watched): WaitContext {
  const { metadata, turn, pacing, adapter_state } = watched;
  return { metadata, turn, pacing, adapter_state, params };
}

/** When the first wait is due; null = nothing is waited for. An evaluator that throws, or gives no time, is due now: then it is reported. */
export function nextDue({ entries }: Watch, watched: Watched, nowMs: number): number | null {
  let due: number | null = null;
  for (const watchedEntry of entries) {
    const own = firstDue(watchedEntry, watched, nowMs);
    if (own !== null && (due === null || own < due)) due = own;
  }
  return due;
}

function firstDue(watchedEntry: WatchedEntry, watched: Watched, nowMs: number): number | null {
  try {
    let first: number | null = null;
    for (const { due_ms } of openWaits(watchedEntry, watched)) {
      if (!isTime(due_ms)) return nowMs;
      if (first === null || due_ms < first) first = due_ms;
    }
    return first;
  } catch {
    return nowMs;
  }
}

/** A wait of the session is everyone's. */
export function appliesTo(
  to: readonly string[] | undefined,
  agentId: string | null,
  metadata: SessionMetadata,
): boolean {
  if (to === undefined || agentId === null || to.includes(agentId)) return true;
  const role = participantOf(metadata, agentId)?.role;
  return role !== undefined && to.includes(role);
}
