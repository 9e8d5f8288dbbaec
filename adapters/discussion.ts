/** discussion: two or more speak in turn, in the order they are listed, from the creator on. */

import type { Envelope, JsonObject, SessionAdapter, SessionMetadata } from 'parley-hub/core';
import { refuseUnfolded } from './parts/refuse-unfolded.ts';
import {
  changesMembers,
  comesRound,
  membersOf,
  newRotation,
  nextActive,
  type Rotation,
  requireTurn,
  turnOf,
} from './parts/rotation.ts';
import { lastTwoRounds, requireSeveral, roundsView, SEVERAL_PARTIES, turnInputOf } from './parts/several-parties.ts';

export interface DiscussionState extends Rotation {
  /** How often the turn has come to or past the creator's place. */
  readonly rounds_done: number;
}

export const discussion: SessionAdapter<DiscussionState> = {
  manifest: {
    type: 'discussion',
    version: 1,
    participants: SEVERAL_PARTIES,
    knobs_schema: {
      type: 'object',
      properties: {
        ordering: { type: 'string', enum: ['round_robin'], default: 'round_robin' },
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

  initialState: (metadata) => ({ ...newRotation(metadata), rounds_done: 0 }),

  validateCreate: requireSeveral,

  validateSend(metadata, draft, state) {
    refuseUnfolded(metadata, draft);
    if (draft.event_type === 'msg.text') requireTurn(metadata, draft, state);
  },

  fold(envelope, state, metadata) {
    if (envelope.event_type === 'msg.text') return spoken(envelope, state, metadata);
    return changesMembers(envelope.event_type) ? regrouped(envelope, state, metadata) : state;
  },

  /** A round may also end because its last speaker is hidden or removed: then the next text is the last. */
  onAccepted({ knobs }, { event_type }, { rounds_done }) {
    const isOver = event_type === 'msg.text' && isComplete(knobs, rounds_done);
    return isOver ? { next_state: 'CLOSING', close_reason: 'rounds_complete' } : {};
  },

  expectedNext: (_metadata, state) => turnOf(state),
  defaultView: lastTwoRounds,
  turnInput: turnInputOf,
  publicState: (_metadata, { turn_count, rounds_done }) => ({ turn_count, rounds_done }),
};

/** Written out: this is made for every text, and only what changed is new. */
function spoken({ sender_id, seq }: Envelope, state: DiscussionState, { creator_id, knobs }: SessionMetadata) {
  const { participant_order, active } = state;
  const next = nextActive(state, sender_id);
  const isRound = next !== null && comesRound(participant_order, creator_id, { from: sender_id, to: next });
  const rounds_done = state.rounds_done + (isRound ? 1 : 0);
  return {
    participant_order,
    active,
    // Nobody is given a turn that cannot be taken.
    expected_next_speaker: isComplete(knobs, rounds_done) ? null : next,
    last_speaker_id: sender_id,
    last_seq: seq,
    turn_count: state.turn_count + 1,
    rounds_done,
  };
}

function isComplete({ rounds }: JsonObject, roundsDone: number): boolean {
  return typeof rounds === 'number' && roundsDone >= rounds;
}

/** Somebody came or went. A turn whose owner is there stays; any other passes on in the same fold. */
function regrouped({ seq }: Envelope, state: DiscussionState, metadata: SessionMetadata): DiscussionState {
  const members = membersOf(metadata);
  const there = { ...state, ...members };
  const { expected_next_speaker: expected, last_speaker_id } = state;
  if (expected === null) {
    return metadata.state === 'ACTIVE'
      ? { ...there, expected_next_speaker: firstSpeaker(there, last_speaker_id, metadata), last_seq: seq }
      : there;
  }
  if (members.active.includes(expected)) return there;
  const next = nextActive(members, expected);
  const order = members.participant_order;
  const isRound = next !== null && comesRound(order, metadata.creator_id, { from: expected, to: next });
  const rounds_done = state.rounds_done + (isRound ? 1 : 0);
  return { ...there, expected_next_speaker: next, last_seq: seq, rounds_done };
}

/** The creator begins; if it is not there, whoever comes next. */
function firstSpeaker(there: Rotation, lastSpeaker: string | null, { creator_id }: SessionMetadata): string | null {
  if (lastSpeaker !== null) return nextActive(there, lastSpeaker);
  return there.active.includes(creator_id) ? creator_id : nextActive(there, creator_id);
}
