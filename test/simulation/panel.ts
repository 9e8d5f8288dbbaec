/**
 * A session of several participants: anyone may post, and it closes after `most` texts. For quorums and late joiners.
 */

import { type Manifest, ProtocolError, type SessionAdapter } from 'parley-hub/core';

interface PanelState {
  readonly texts: number;
}

const manifest: Manifest = {
  type: 'panel',
  version: 1,
  participants: { min: 2, max: null, roles: ['initiator', 'participant'] },
  knobs_schema: { type: 'object', properties: { most: { type: 'integer', default: 6 } }, additionalProperties: false },
  default_view: { name: 'full_transcript', params: {} },
  expectations: [],
};

export const panel: SessionAdapter<PanelState> = {
  manifest,
  initialState: () => ({ texts: 0 }),
  validateCreate(metadata) {
    if (Number(metadata.knobs.most) < 1) throw new ProtocolError('most: expected 1 or more');
  },
  validateSend(_metadata, draft) {
    if (draft.event_type === 'msg.packet' || draft.event_type === 'context.set') throw new ProtocolError('texts only');
  },
  fold: (envelope, state) => (envelope.event_type === 'msg.text' ? { texts: state.texts + 1 } : state),
  onAccepted(metadata, _envelope, state) {
    return state.texts >= Number(metadata.knobs.most) ? { next_state: 'CLOSING', close_reason: 'panel_done' } : {};
  },
};
