/** round_robin: participants speak in order, beginning with the creator. A round is one pass over all places. */

import type { SessionMetadata } from 'parley-hub/core';
import { completesRound, nextActive } from '../parts/rotation.ts';
import type { DiscussionState, Ordering, Step } from './ordering.ts';

export const roundRobin: Ordering = {
  takesPackets: false,
  spoken: ({ sender_id }, state, metadata) => stepFrom(sender_id, state, metadata),
  given(state, metadata) {
    const { expected_next_speaker: expected, last_speaker_id: last, rounds_done } = state;
    if (expected !== null) return stepFrom(expected, state, metadata);
    const next = last === null ? firstSpeaker(state, metadata) : nextActive(state, last);
    return { next, rounds_done, turns_left: 0, hands: null };
  },
};

/** The creator; if it is inactive, the next active participant. */
export function firstSpeaker(state: DiscussionState, { creator_id }: SessionMetadata): string | null {
  return state.active.includes(creator_id) ? creator_id : nextActive(state, creator_id);
}

function stepFrom(from: string, state: DiscussionState, { creator_id }: SessionMetadata): Step {
  const next = nextActive(state, from);
  const isRound = next !== null && completesRound(state.participant_order, creator_id, { from, to: next });
  return { next, rounds_done: state.rounds_done + (isRound ? 1 : 0), turns_left: 0, hands: null };
}
