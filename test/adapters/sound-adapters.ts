/** Two correct adapters: a minimal one, and one with turns. */

import { ProtocolError, type SessionAdapter } from 'parley-hub/core';

export interface Count {
  readonly texts: number;
}

/** Only the six required members, with a two-argument fold. Closes after five texts. */
export const countdown: SessionAdapter<Count> = {
  manifest: {
    type: 'countdown',
    version: 1,
    participants: { min: 1, max: null, roles: [] },
    knobs_schema: { type: 'object' },
    default_view: { name: 'full_transcript', params: {} },
    expectations: [],
  },
  initialState: () => ({ texts: 0 }),
  validateCreate() {},
  validateSend(_metadata, { event_type }) {
    if (event_type !== 'msg.text') throw new ProtocolError(`countdown takes texts only, got ${event_type}`);
  },
  fold: ({ event_type }, state) => (event_type === 'msg.text' ? { texts: state.texts + 1 } : state),
  onAccepted: (_metadata, _envelope, { texts }) =>
    texts < 5 ? {} : { next_state: 'CLOSING', close_reason: 'counted' },
};

export interface Circle {
  readonly order: readonly string[];
  readonly active: readonly string[];
  readonly next: string | null;
  readonly since: number;
}

/** Active participants speak in turn. */
export const circle: SessionAdapter<Circle> = {
  manifest: {
    type: 'circle',
    version: 1,
    participants: { min: 2, max: null, roles: ['initiator', 'participant'] },
    knobs_schema: { type: 'object' },
    default_view: { name: 'full_transcript', params: {} },
    expectations: [{ name: 'turn_within', on_violation: 'hide', params: { seconds: 60 } }],
  },
  initialState: ({ participants }) => ({
    order: participants.map(({ agent_id }) => agent_id),
    active: [],
    next: null,
    since: 0,
  }),
  validateCreate() {},
  validateSend(_metadata, { event_type, sender_id }, { next }) {
    if (event_type === 'msg.packet' || event_type === 'context.set') throw new ProtocolError('texts only');
    if (event_type === 'msg.text' && sender_id !== next) {
      throw new ProtocolError(`expects ${next}`, { expected: next }, 'not_your_turn');
    }
  },
  fold({ event_type, event_data, sender_id, seq }, state, { participants }) {
    const active = participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id);
    switch (event_type) {
      case 'session.opened':
        return { ...state, active, next: state.order.find((id) => active.includes(id)) ?? null, since: seq };
      case 'session.participant.joined':
      case 'session.participant.hidden':
      case 'session.participant.returned':
      case 'session.participant.removed': {
        const known = state.order.includes(String(event_data.agent_id));
        const order = known ? state.order : [...state.order, String(event_data.agent_id)];
        const there = { ...state, order, active };
        const keepsTurn = state.next !== null && active.includes(state.next);
        return keepsTurn ? there : { ...there, next: after(there, state.next), since: seq };
      }
      case 'msg.text':
        return { ...state, next: after(state, sender_id), since: seq };
      default:
        return state;
    }
  },
  onAccepted: () => ({}),
  expectedNext: (_metadata, { next, since }) => (next === null ? null : { agent_id: next, since_seq: since }),
};

/** The next active participant after `speaker`, wrapping around. */
function after({ order, active }: Circle, speaker: string | null): string | null {
  const from = order.indexOf(speaker ?? '') + 1;
  return [...order.slice(from), ...order.slice(0, from)].find((id) => active.includes(id)) ?? null;
}
