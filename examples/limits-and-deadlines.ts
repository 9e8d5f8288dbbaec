/** Time and limits: a turn deadline, a rate limit, and a custom arbiter. */

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

// The holder has a second to take its turn. Bob is silent: the hub hides him and the discussion continues, until he returns.
const expectations = [turnWithin(1, 'hide')];
const session = await alice.open('discussion', { participants: ['bob', 'carol'], expectations });
await session.send('Bob, what do you think?');
const { event_data } = await session.waitFor('session.participant.hidden');
console.log(`bob is hidden: ${event_data.reason}`);
assert.equal((await session.info()).turn?.agent_id, carol.agentId);
await bob.session(session.id).comeBack();

// One message now, then one per second. Tightening your own rule is allowed; loosening it requires a grant.
await carol.setRule({ limits: { rate: { per_minute: 60, burst: 1 } } });
await carol.session(session.id).send('I have an idea.');
await assert.rejects(carol.session(session.id).send('And another one.'), { code: 'rate_limited' });

// The hub asks the arbiter first; members it leaves out use the access rules.
await assert.rejects(session.send('The password is 1234.'), /no passwords here/);
await hub.stop();
