/** Time and limits: a turn has a deadline, a sender has a rate, and an arbiter of your own reads along. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { ruleArbiter, type SendAsk } from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';

const hub = await createHub({
  arbiter: {
    authorizeSend: (ask: SendAsk) =>
      String(ask.draft.event_data.text).includes('password') ? 'no passwords here' : ruleArbiter.authorizeSend(ask),
  },
});
const alice = await hub.agent('alice');
const bob = await hub.agent('bob', { onMessage() {} });
const carol = await hub.agent('carol', { onMessage() {} });

// Whoever has the turn has a second to take it. Bob says nothing: the session goes on without him, until he comes back.
const expectations = [turnWithin(1, 'hide')];
const session = await alice.open('discussion', { participants: ['bob', 'carol'], expectations });
await session.send('Bob, what do you think?');
const { event_data } = await session.waitFor('session.participant.hidden');
console.log(`bob is hidden: ${event_data.reason}`);
assert.equal((await session.info()).turn?.agent_id, carol.agentId);
await bob.session(session.id).comeBack();

// One message, then one a second. Everybody may tighten its own rule; to loosen one takes a grant.
await carol.setRule({ limits: { rate: { per_minute: 60, burst: 1 } } });
await carol.session(session.id).send('I have an idea.');
await assert.rejects(carol.session(session.id).send('And another one.'), { code: 'rate_limited' });

// The arbiter is asked before anything is judged; what it leaves out, the rules answer.
await assert.rejects(session.send('The password is 1234.'), /no passwords here/);
await hub.stop();
