/** A discussion of three: they speak in turn, and after two rounds the session closes. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';

const hub = await createHub();
const alice = await hub.agent('alice');
await hub.agent('bob', { onTurn: (_turn, session) => session.send('Spaces.') });
const carol = await hub.agent('carol', { onTurn: (_turn, session) => session.send('Ask the formatter.') });

const session = await alice.open('discussion', { participants: ['bob', 'carol'], knobs: { rounds: 2 } });

// The creator speaks first. The rejection names the holder of the turn.
await assert.rejects(carol.session(session.id).send('Me first!'), {
  code: 'not_your_turn',
  message: "discussion expects 'alice' to speak, got 'carol'",
});
for (const opinion of ['Tabs.', 'Still tabs.']) {
  await session.send(opinion);
  const heard = [await session.waitFor('msg.text'), await session.waitFor('msg.text')];
  console.log(['', opinion, ...heard.map(({ event_data }) => event_data.text)].join('\n- '));
  assert.deepEqual(
    heard.map(({ event_data }) => event_data.text),
    ['Spaces.', 'Ask the formatter.'],
  );
}

const { state, reason } = await session.ended();
console.log(`\nthe discussion is ${state}: ${reason}`);
assert.deepEqual({ state, reason }, { state: 'CLOSED', reason: 'rounds_complete' });
await hub.stop();
