/** random: any participant except the last speaker, derived from the session id and the turn. */

import type { SessionMetadata } from 'parley-hub/core';
import { seededPick } from '../parts/rotation.ts';
import { type DiscussionState, type Ordering, roundBegun, turnTaken } from './ordering.ts';

export const atRandom: Ordering = {
  takesPackets: false,
  spoken: ({ sender_id }, state, metadata) => ({
    next: chosen(state, sender_id, state.turn_count + 1, metadata),
    ...turnTaken(state, state.active.length),
    hands: null,
  }),
  given(state, metadata) {
    const { active, expected_next_speaker, last_speaker_id, turn_count } = state;
    const isOpening = expected_next_speaker === null && last_speaker_id === null;
    const begins = isOpening && active.includes(metadata.creator_id);
    return {
      next: begins ? metadata.creator_id : chosen(state, last_speaker_id, turn_count, metadata),
      ...roundBegun(state, active.length),
      hands: null,
    };
  },
};

function chosen(
  { active }: DiscussionState,
  last: string | null,
  turn: number,
  { session_id }: SessionMetadata,
): string | null {
  return seededPick(othersThan(active, last), `${session_id} ${turn}`) ?? null;
}

/** The last speaker is a candidate only if nobody else is active. */
export function othersThan(active: readonly string[], last: string | null): readonly string[] {
  const others = active.filter((id) => id !== last);
  return others.length === 0 ? active : others;
}
