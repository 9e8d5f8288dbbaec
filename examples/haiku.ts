/** A custom session type: short lines only, and the third line closes the session. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { ProtocolError, type SessionAdapter } from 'parley-hub/core';

export const haiku: SessionAdapter<{ readonly lines: number }> = {
  manifest: {
    type: 'haiku',
    version: 1,
    participants: { min: 2, max: 3, roles: ['initiator', 'respondent', 'participant'] },
    knobs_schema: { type: 'object', properties: {} },
    default_view: { name: 'full_transcript', params: {} },
    expectations: [],
  },
  initialState: () => ({ lines: 0 }),
  validateCreate() {},
  validateSend(_session, { event_type, event_data }) {
    if (event_type !== 'msg.text') throw new ProtocolError(`a haiku takes msg.text, not ${event_type}`);
    if (String(event_data.text).length > 30) throw new ProtocolError('a line has at most 30 characters');
  },
  fold: ({ event_type }, state) => (event_type === 'msg.text' ? { lines: state.lines + 1 } : state),
  onAccepted: (_session, _envelope, { lines }) =>
    lines < 3 ? {} : { next_state: 'CLOSING', close_reason: 'haiku_complete' },
};

const hub = await createHub({ adapters: [haiku] });
const basho = await hub.agent('basho');
const sora = await hub.agent('sora');

const poem = await basho.open('haiku', ['sora']);
await poem.send('An old silent pond');
const line = 'A frog jumps into the pond, and that is all there is to say';
await assert.rejects(sora.session(poem.id).send(line), { message: 'a line has at most 30 characters' });
await sora.session(poem.id).send('A frog jumps into the pond');
await poem.send('Splash! Silence again');
for await (const { event_type, event_data } of poem.log()) if (event_type === 'msg.text') console.log(event_data.text);

const { close_reason } = (await poem.info()).session;
console.log(`the session closes itself: ${close_reason}`);
assert.equal(close_reason, 'haiku_complete');
await hub.stop();
