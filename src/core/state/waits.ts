/** The open waits of a session, and the earliest deadline among them. */

import { isTime } from '../lib/time.ts';
import type { ExpectationSet, TimedEntry, Wait, WaitContext } from '../ports/expectation.ts';
import { checkList } from './check-expectation-output.ts';
import { appliesTo } from './pacing.ts';

/** The evaluator's input without the parameters of its entry. */
export type WaitInput = Omit<WaitContext, 'params'>;

/** The waits of one entry that apply and have not fired. Throws what its evaluator throws. */
export function openWaits({ index, entry, evaluator }: TimedEntry, watched: WaitInput): readonly Wait[] {
  const { metadata, pacing } = watched;
  if (metadata.state !== 'ACTIVE' && metadata.state !== 'INVITED') return NONE;
  const waits = checkList(evaluator, evaluator.waits(toWaitContext(entry.params, watched)));
  const fired = pacing.fired[index];
  if (waits.length === 0 || (fired === undefined && entry.applies_to === undefined)) return waits;
  return waits.filter(
    ({ agent_id, since_seq }) => fired?.[agent_id ?? ''] !== since_seq && appliesTo(entry, agent_id, metadata),
  );
}

const NONE: readonly Wait[] = [];

export function toWaitContext(params: WaitContext['params'], watched: WaitInput): WaitContext {
  const { metadata, turn, pacing, adapter_state } = watched;
  return { metadata, turn, pacing, adapter_state, params };
}

/** The earliest deadline; null = none. An evaluator that throws or returns an invalid time is due now, so that it gets reported. */
export function nextDue({ timed }: ExpectationSet, watched: WaitInput, nowMs: number): number | null {
  let due: number | null = null;
  for (const watchedEntry of timed) {
    const own = firstDue(watchedEntry, watched, nowMs);
    if (own !== null && (due === null || own < due)) due = own;
  }
  return due;
}

function firstDue(watchedEntry: TimedEntry, watched: WaitInput, nowMs: number): number | null {
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
