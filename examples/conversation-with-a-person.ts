/** An agent talks with a person, who receives messages by callback, by pull or in a loop; closing ends every wait. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';

const hub = await createHub();
const agent = await hub.agent('assistant');
const person = await hub.human('maria');

const talk = await agent.open('conversation', ['maria']);
const mine = person.session(talk.id);

// Push: a callback gets every message until it is removed.
const stopPushing = person.onMessage((message) => message.reply(`You said: ${message.text}`));
await talk.send('Good morning.');
const echoed = await talk.waitFor('msg.text');
console.log('maria, pushed: ', echoed.event_data.text);
assert.equal(echoed.event_data.text, 'You said: Good morning.');
stopPushing();

// Pull: wait for the next message of any session.
await talk.send('Shall I book the train?');
const asked = await person.next();
console.log('maria, pulled: ', asked?.text);
assert.deepEqual([asked?.from, asked?.text], ['assistant', 'Shall I book the train?']);
await asked?.reply('Yes, please.');
const agreed = await talk.waitFor('msg.text');
assert.equal(agreed.event_data.text, 'Yes, please.');

// Loop: the messages of one session, until it ends.
async function listen(): Promise<readonly string[]> {
  const heard: string[] = [];
  for await (const message of mine) heard.push(message.text);
  return heard;
}
const listening = listen();
await talk.send('Booked.');
await talk.send('It leaves at 9:14.');

// Closing ends every wait in the session: the loop ends, and a pending waitFor throws.
const ticket = assert.rejects(mine.waitFor('ticket.sent'), { code: 'session_ended' });
await talk.close('all done');
const heard = await listening;
console.log('maria, looping:', heard.join(' '));
assert.deepEqual(heard, ['Booked.', 'It leaves at 9:14.']);
await ticket;
assert.deepEqual(await mine.ended(), { state: 'CLOSED', reason: 'all done' });

// Closing a client ends its waits in all sessions.
const waiting = person.next();
person.close();
assert.equal(await waiting, null);
console.log('closed, and nobody waits');
await hub.stop();
