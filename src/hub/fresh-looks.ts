/** Which looks into sessions are new: a page looks again each second, and that it does says nothing new. */

import type { Clock } from '../core/ports/platform.ts';
import type { HubEvents, Taps } from './telemetry/events.ts';

type Look = HubEvents['sessionObserved'];

/** Whoever stays connected for days is written down again each hour. */
const AGAIN_MS = 3_600_000;
/** Of one connection so many are remembered; the oldest beyond them counts as new when it comes again. */
const MOST_REMEMBERED = 4_096;

/** Says of each look whether it is the first of its kind: by that identity, into that session, while its connection lasts. */
export function freshLooks({
  events,
  clock,
}: {
  readonly events: Taps;
  readonly clock: Clock;
}): (look: Look) => boolean {
  /** By agent: when which of its looks was written down. */
  const written = new Map<string, Map<string, number>>();
  events.on('agentBound', ({ agent_id }) => written.set(agent_id, new Map()));
  events.on('agentUnbound', ({ agent_id }) => written.delete(agent_id));
  return ({ agent_id, session_id, op }) => {
    const known = written.get(agent_id);
    // Who asks without a connection asks once; and to subscribe is to begin something.
    if (known === undefined || op === 'subscribe') return true;
    const key = `${op} ${session_id}`;
    const now = clock.monotonic();
    const before = known.get(key);
    if (before !== undefined && now - before < AGAIN_MS) return false;
    known.delete(key);
    known.set(key, now);
    for (const oldest of known.keys()) {
      if (known.size <= MOST_REMEMBERED) break;
      known.delete(oldest);
    }
    return true;
  };
}
