/** A session type with only the six required members: an auction that ends after two passes. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { ProtocolError, type SessionAdapter } from 'parley-hub/core';

interface AuctionState {
  readonly highest: number;
  readonly winner: string | null;
  readonly passes: number;
}

export const auction: SessionAdapter<AuctionState> = {
  manifest: {
    type: 'auction',
    version: 1,
    participants: { min: 2, max: null, roles: ['initiator', 'respondent', 'participant'] },
    knobs_schema: { type: 'object', properties: { reserve: { type: 'number', default: 0 } } },
    default_view: { name: 'full_transcript', params: {} },
    expectations: [],
  },
  initialState: ({ knobs }) => ({ highest: Number(knobs.reserve ?? 0), winner: null, passes: 0 }),
  validateCreate({ knobs }) {
    if (Number(knobs.reserve ?? 0) < 0) throw new ProtocolError('an auction begins at 0 or above');
  },
  validateSend(_session, { event_type, event_data: { amount } }, { highest }) {
    if (event_type === 'pass') return;
    if (event_type !== 'bid') throw new ProtocolError(`an auction takes "bid" and "pass", not "${event_type}"`);
    if (typeof amount === 'number' && amount > highest) return;
    throw new ProtocolError(`bid more than ${highest}, got ${JSON.stringify(amount)}`, { highest });
  },
  fold({ event_type, event_data, sender_id }, state) {
    if (event_type === 'bid') return { highest: Number(event_data.amount), winner: sender_id, passes: 0 };
    return event_type === 'pass' ? { ...state, passes: state.passes + 1 } : state;
  },
  onAccepted: (_session, _envelope, { passes, winner }) =>
    passes < 2 ? {} : { next_state: 'CLOSING', close_reason: winner === null ? 'unsold' : 'sold' },
};

const hub = await createHub({ adapters: [auction] });
const [seller, bob, carol] = [await hub.agent('seller'), await hub.agent('bob'), await hub.agent('carol')];
const session = await seller.open('auction', { participants: ['bob', 'carol'], knobs: { reserve: 10 } });
const bid = (amount: number) => ({ event_type: 'bid', event_data: { amount } });
const pass = { event_type: 'pass', event_data: {} };

await bob.session(session.id).send(bid(12));
await assert.rejects(carol.session(session.id).send(bid(12)), {
  code: 'protocol_error',
  message: 'bid more than 12, got 12',
});
await carol.session(session.id).send(bid(15));
await bob.session(session.id).send(pass);
await seller.session(session.id).send(pass);

const { close_reason } = (await session.info()).session;
console.log('the auction closes itself:', close_reason);
assert.equal(close_reason, 'sold');
await hub.stop();
