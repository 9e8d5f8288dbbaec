/** conversation: two participants talk at any time; it ends when one of them closes it. */

import type { SessionAdapter } from 'parley-hub/core';
import { refuseUnfolded, requireTwoParties, TWO_PARTIES } from './parts/parties.ts';

export interface ConversationState {
  readonly turn_count: number;
  readonly last_speaker_id: string | null;
  /** The seq of the last text; 0 = none yet. */
  readonly last_seq: number;
}

export const conversation: SessionAdapter<ConversationState> = {
  manifest: {
    type: 'conversation',
    version: 1,
    participants: TWO_PARTIES,
    knobs_schema: { type: 'object', properties: {}, additionalProperties: false },
    default_view: { name: 'windowed_summary', params: { recent_n: 10 } },
    expectations: [{ name: 'max_silence', on_violation: 'audit', params: { seconds: 3600 } }],
  },

  initialState: () => ({ turn_count: 0, last_speaker_id: null, last_seq: 0 }),

  validateCreate: requireTwoParties,

  validateSend(metadata, draft) {
    refuseUnfolded(metadata, draft);
  },

  fold({ event_type, sender_id, seq }, state) {
    if (event_type !== 'msg.text') return state;
    return { turn_count: state.turn_count + 1, last_speaker_id: sender_id, last_seq: seq };
  },

  onAccepted: () => ({}),

  expectedNext: () => null,
};
