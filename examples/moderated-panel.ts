/** A moderated panel: the moderator names each speaker, gets the turn back, and ends the session. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { finish, handoff } from 'parley-hub/core';

const hub = await createHub();
const moderator = await hub.agent('moderator');
await hub.agent('economist', { onTurn: (_turn, panel) => panel.send('It pays for itself in two years.') });
const engineer = await hub.agent('engineer', { onTurn: (_turn, panel) => panel.send('It can be built by spring.') });

const panel = await moderator.open('discussion', {
  participants: ['economist', 'engineer'],
  knobs: { ordering: 'moderated' },
});

// A text names no next speaker, so the moderator keeps the turn.
await panel.send('Welcome. Should we build the bridge?');
assert.equal(panel.isMyTurn, true);
await assert.rejects(engineer.session(panel.id).send('Yes!'), { code: 'not_your_turn' });
await assert.rejects(panel.send(handoff('plumber')), {
  code: 'protocol_error',
  message: 'routing.target: expected another active participant (economist, engineer), got "plumber"',
});

for (const expert of ['engineer', 'economist']) {
  await panel.send(handoff(expert, { body: 'What do you say?' }));
  const answer = await panel.waitFor('msg.text');
  console.log(`${expert}: ${String(answer.event_data.text)}`);
  assert.equal(panel.isMyTurn, true);
}
await panel.send(finish({ body: 'Then we build it.', reason: 'agreed' }));

const { state, reason } = await panel.ended();
console.log(`the panel is ${state}: ${reason}`);
assert.deepEqual({ state, reason }, { state: 'CLOSED', reason: 'agreed' });
await hub.stop();
