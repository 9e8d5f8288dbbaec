/** consulting: the initiator asks once, the respondent replies once, and the session is complete. */

import { nameOf, type Participant, ProtocolError, type SessionAdapter, type SessionMetadata } from 'parley-hub/core';
import { refuseUnfolded, requireTwoParties, TWO_PARTIES } from './parts/parties.ts';

export interface ConsultingState {
  readonly initiator_sent: boolean;
  readonly respondent_replied: boolean;
  /** The seq that last moved the session: its opening, the question or the reply. 0 = not open yet. */
  readonly last_seq: number;
}

export const consulting: SessionAdapter<ConsultingState> = {
  manifest: {
    type: 'consulting',
    version: 1,
    participants: TWO_PARTIES,
    knobs_schema: { type: 'object', properties: {}, additionalProperties: false },
    default_view: { name: 'full_transcript', params: {} },
    expectations: [
      { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 30 } },
      { name: 'reply_within', on_violation: 'auto_close', params: { seconds: 600 } },
    ],
  },

  initialState: () => ({ initiator_sent: false, respondent_replied: false, last_seq: 0 }),

  validateCreate: requireTwoParties,

  validateSend(metadata, draft, state) {
    refuseUnfolded(metadata, draft);
    if (draft.event_type !== 'msg.text') return;
    const speaker = nextSpeaker(metadata, state);
    if (speaker === undefined) throw new ProtocolError('consulting is already complete: asked and answered');
    if (draft.sender_id === speaker.agent_id) return;
    const task = state.initiator_sent ? 'to reply' : 'to ask first';
    const got = nameOf(metadata, draft.sender_id);
    throw new ProtocolError(
      `consulting expects '${speaker.name}' (${speaker.role}) ${task}, got '${got}'`,
      { expected: speaker.agent_id },
      'not_your_turn',
    );
  },

  /** `validateSend` has checked the senders, so only the order of texts matters here. */
  fold({ event_type, seq }, state) {
    if (event_type === 'session.opened') return { ...state, last_seq: seq };
    if (event_type !== 'msg.text') return state;
    return { initiator_sent: true, respondent_replied: state.initiator_sent, last_seq: seq };
  },

  onAccepted(_metadata, _envelope, state) {
    return state.respondent_replied ? { next_state: 'CLOSING', close_reason: 'consulting_complete' } : {};
  },

  /** Nobody holds the turn while its holder is hidden; a returning holder gets it back. */
  expectedNext(metadata, state) {
    const speaker = nextSpeaker(metadata, state);
    if (state.last_seq === 0 || speaker?.status !== 'active') return null;
    return { agent_id: speaker.agent_id, since_seq: state.last_seq };
  },
};

function nextSpeaker({ participants }: SessionMetadata, state: ConsultingState): Participant | undefined {
  if (state.respondent_replied) return undefined;
  const role = state.initiator_sent ? 'respondent' : 'initiator';
  return participants.find((participant) => participant.role === role);
}
