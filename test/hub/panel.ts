/** panel: any number of participants, anyone may post at any time. Only the six members of the protocol. */

import type { SessionAdapter } from 'parley-hub/core';

export interface PanelState {
  readonly said: number;
  readonly active: readonly string[];
}

export function panelOf(type: string, min: number): SessionAdapter<PanelState> {
  return {
    manifest: {
      type,
      version: 1,
      participants: { min, max: null, roles: ['initiator', 'participant'] },
      knobs_schema: {
        type: 'object',
        properties: { topic: { type: 'string', default: 'anything' } },
        additionalProperties: false,
      },
      default_view: { name: 'full_transcript', params: {} },
      expectations: [],
    },
    initialState: () => ({ said: 0, active: [] }),
    validateCreate: () => {},
    validateSend: () => {},
    fold({ event_type, event_data }, state) {
      if (event_type === 'msg.text') return { ...state, said: state.said + 1 };
      if (event_type === 'session.opened') return { ...state, active: event_data.active as readonly string[] };
      return state;
    },
    onAccepted: () => ({}),
  };
}

/** At least two. */
export const panel: SessionAdapter<PanelState> = panelOf('panel', 2);

/** One is enough. */
export const monologue: SessionAdapter<PanelState> = panelOf('monologue', 1);
