/** Consulting in detail: turns, repeated sends, the close reason, and the log. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';

const hub = await createHub();
hub.on('operationRefused', ({ error }) => console.log(`refused, ${error.code}: ${error.message}`));
const alice = await hub.agent('alice');
const bob = await hub.agent('bob');

const asking = await alice.open('consulting', ['bob']);
const replying = bob.session(asking.id);

// The initiator asks first. A post out of turn is rejected with the name of the holder.
await assert.rejects(replying.send('May I begin?'), {
  code: 'not_your_turn',
  message: "consulting expects 'alice' (initiator) to ask first, got 'bob'",
});

// A key is accepted once. The same content again gets the first answer; other content is rejected.
const first = await asking.send('Is the build green?', { key: 'question-1' });
const again = await asking.send('Is the build green?', { key: 'question-1' });
console.log(`sent once as seq ${first.seq}, repeated: duplicate ${again.duplicate}`);
assert.deepEqual({ seq: again.seq, duplicate: again.duplicate }, { seq: first.seq, duplicate: true });
await assert.rejects(asking.send('Is the build red?', { key: 'question-1' }), { code: 'duplicate' });

// The reply closes the session with a reason that both participants get.
const question = await replying.waitFor('msg.text');
await replying.send('Yes.', { causationId: question.envelope_id });
const reply = await asking.waitFor('msg.text');
assert.deepEqual(await asking.ended(), { state: 'CLOSED', reason: 'consulting_complete' });
assert.deepEqual(await replying.ended(), { state: 'CLOSED', reason: 'consulting_complete' });
assert.equal(reply.causation_id, question.envelope_id);
await assert.rejects(asking.send('Are you sure?'), { code: 'session_closed' });

// The log has one order and contains no rejected posts. Alice does not see bob's invite.
const log = [];
for await (const { seq, event_type, event_data } of asking.log()) {
  console.log(String(seq).padStart(3), event_type, event_data.text ?? event_data.reason ?? '');
  log.push(event_type);
}
assert.deepEqual(log, [
  'session.invite.ack',
  'session.opened',
  'msg.text',
  'msg.text',
  'session.closing',
  'session.closed',
]);
await hub.stop();
