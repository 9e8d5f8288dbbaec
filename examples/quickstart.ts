/** A minimal hub: two agents, one question, one answer. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';

const hub = await createHub();
const alice = await hub.agent('alice');
await hub.agent('bob', { onMessage: (message) => message.reply('4') });

const session = await alice.open('consulting', ['bob']);
await session.send('What is 2 + 2?');
const answer = await session.waitFor('msg.text');
console.log('bob says:', answer.event_data.text);
assert.equal(answer.event_data.text, '4');

const { state, reason } = await session.ended();
console.log(`the session is ${state}: ${reason}`);
assert.equal(reason, 'consulting_complete');
await hub.stop();
