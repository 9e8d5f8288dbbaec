/** discussion: two or more participants speak one at a time, in the order that its ordering decides. */

import type { Envelope, JsonObject, SessionAdapter, SessionMetadata } from 'parley-hub/core';
import { atRandom } from './orderings/at-random.ts';
import { moderated } from './orderings/moderated.ts';
import type { DiscussionState, Ordering, Step } from './orderings/ordering.ts';
import { raiseHand } from './orderings/raise-hand.ts';
import { roundRobin } from './orderings/round-robin.ts';
import { fieldError } from './parts/field-error.ts';
import {
  lastTwoRounds,
  refuseUnfolded,
  requireSeveral,
  roundsView,
  SEVERAL_PARTIES,
  turnInputOf,
} from './parts/parties.ts';
import { changesMembers, membersOf, newRotation, requireTurn, turnOf } from './parts/rotation.ts';

export type { DiscussionState, Hands } from './orderings/ordering.ts';

const ORDERINGS: ReadonlyMap<unknown, Ordering> = new Map([
  ['round_robin', roundRobin],
  ['raise_hand', raiseHand],
  ['moderated', moderated],
  ['random', atRandom],
]);

const ORDERING_NAMES: readonly string[] = [...ORDERINGS.keys()].map(String);

export const discussion: SessionAdapter<DiscussionState> = {
  manifest: {
    type: 'discussion',
    version: 1,
    participants: SEVERAL_PARTIES,
    knobs_schema: {
      type: 'object',
      properties: {
        ordering: { type: 'string', enum: ORDERING_NAMES, default: 'round_robin' },
        rounds: { type: 'integer', minimum: 1 },
      },
      additionalProperties: false,
    },
    default_view: roundsView(SEVERAL_PARTIES.min),
    expectations: [
      { name: 'turn_within', on_violation: 'warn', params: { seconds: 120 } },
      { name: 'turn_within', on_violation: 'hide', params: { seconds: 600, on_failure: true } },
    ],
  },

  initialState: (metadata) => ({
    ...newRotation(metadata),
    rounds_done: 0,
    turns_left: 0,
    is_named: false,
    pending_close_reason: null,
    hands: orderingOf(metadata).newHands?.() ?? null,
  }),

  validateCreate(metadata) {
    requireSeveral(metadata);
    orderingOf(metadata);
  },

  validateSend(metadata, draft, state) {
    const ordering = orderingOf(metadata);
    if (takesTurn(draft.event_type, ordering)) requireTurn(metadata, draft, state);
    else refuseUnfolded(metadata, draft);
    ordering.check?.(metadata, draft, state);
  },

  fold(envelope, state, metadata) {
    const ordering = orderingOf(metadata);
    const type = envelope.event_type;
    if (takesTurn(type, ordering)) return spoken(envelope, state, ordering.spoken(envelope, state, metadata), metadata);
    if (changesMembers(type)) return regrouped(envelope, state, metadata, ordering);
    return ordering.noted?.(envelope, state) ?? state;
  },

  onAccepted(_metadata, _envelope, { pending_close_reason: close_reason }) {
    return close_reason === null ? {} : { next_state: 'CLOSING', close_reason };
  },

  expectedNext: (_metadata, state) => turnOf(state),
  defaultView: lastTwoRounds,
  turnInput: turnInputOf,
  tools: (metadata, state, participantId) => orderingOf(metadata).tools?.(metadata, state, participantId) ?? [],
  publicState: (metadata, state) => ({
    turn_count: state.turn_count,
    rounds_done: state.rounds_done,
    ...orderingOf(metadata).publicState?.(metadata, state),
  }),
};

function takesTurn(eventType: string, { takesPackets }: Ordering): boolean {
  return eventType === 'msg.text' || (takesPackets && eventType === 'msg.packet');
}

/** Lists every member, because this runs for every text. */
function spoken({ sender_id, seq }: Envelope, state: DiscussionState, step: Step, { knobs }: SessionMetadata) {
  const reason = step.reason ?? (isComplete(knobs, step.rounds_done) ? 'rounds_complete' : null);
  return {
    participant_order: state.participant_order,
    active: state.active,
    // Nobody holds the turn while the session closes.
    expected_next_speaker: reason === null ? step.next : null,
    last_speaker_id: sender_id,
    last_seq: step.goesOn === true ? state.last_seq : seq,
    turn_count: state.turn_count + 1,
    rounds_done: step.rounds_done,
    turns_left: step.turns_left,
    is_named: step.names === true,
    pending_close_reason: reason,
    hands: step.hands,
  };
}

/** A round may also end when its last speaker is hidden or removed; then the next text is the last. */
function isComplete({ rounds }: JsonObject, roundsDone: number): boolean {
  return typeof rounds === 'number' && roundsDone >= rounds;
}

/** After a change of participants, an active holder keeps the turn; otherwise it moves in the same fold. */
function regrouped(
  { seq }: Envelope,
  state: DiscussionState,
  metadata: SessionMetadata,
  ordering: Ordering,
): DiscussionState {
  const moved = { ...state, ...membersOf(metadata) };
  const there = ordering.regrouped?.(moved) ?? moved;
  const expected = state.expected_next_speaker;
  if (expected === null && (metadata.state !== 'ACTIVE' || state.pending_close_reason !== null)) return there;
  if (expected !== null && there.active.includes(expected)) return there;
  const { next, rounds_done, turns_left, hands } = ordering.given(there, metadata);
  return { ...there, expected_next_speaker: next, last_seq: seq, rounds_done, turns_left, is_named: false, hands };
}

/** The ordering that the knobs name; throws a ProtocolError for an unknown name. */
function orderingOf({ knobs: { ordering = 'round_robin' } }: Pick<SessionMetadata, 'knobs'>): Ordering {
  const found = ORDERINGS.get(ordering);
  if (found !== undefined) return found;
  throw fieldError('knobs.ordering', `one of ${ORDERING_NAMES.join(', ')}`, ordering);
}
