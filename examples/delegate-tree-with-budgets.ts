/** Delegations three levels deep: each level reserves a part of the budget above it, and settles the actual spending. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { budgetWithin } from 'parley-hub/expectations/entries';

const hub = await createHub();
hub.on('envelopePosted', ({ envelope: { event_type, event_data, depth } }) => {
  if (!event_type.startsWith('delegation.')) return;
  const said = event_type === 'delegation.opened' ? event_data.budget : event_data.spent;
  console.log(`${'  '.repeat(depth)}${event_type.slice(11)} ${JSON.stringify(said)}`);
});

const answer = (text: string, cost_usd: number) => ({ event_type: 'msg.text', event_data: { text, cost_usd } });
const boss = await hub.agent('boss');
await hub.agent('client');
await hub.agent('busy', { onInvite: () => false });
await hub.agent('counter', { onMessage: (message) => message.reply(answer('Forty-two.', 0.05)) });
await hub.agent('analyst', {
  async onMessage(message) {
    const asked = await message.session.delegate('counter', 'How many are there?', { budget: { usd: 0.1 } });
    await message.reply(answer(`The counter says: ${asked.reply?.text}`, 0.2));
  },
});
await hub.agent('manager', {
  async onMessage(message) {
    const { session } = message;
    // The manager may spend 0.60 and cannot delegate more than is left.
    await assert.rejects(session.delegate('analyst', 'Look into it.', { budget: { usd: 0.7 } }), {
      code: 'invalid_create',
      details: {
        field: 'params.budget.usd',
        expected: 'at most 0.6',
        received: '0.7',
        left: { usd: 0.6, tokens: null },
      },
    });
    // Nobody may wait for an agent that already waits for it.
    await assert.rejects(session.delegate('boss', 'You do it.', { budget: { usd: 0.1 } }), /manager → boss → manager/);
    const asked = await session.delegate('analyst', 'Look into it.', { budget: { usd: 0.4 } });
    await message.reply(answer(`Looked into. ${asked.reply?.text}`, 0.1));
  },
});

const project = await boss.open('conversation', {
  participants: ['client'],
  expectations: [budgetWithin({ usd: 1 }, 'notify_session')],
});
const done = await project.delegate('manager', 'Find out how many there are.', { budget: { usd: 0.6 }, key: 'count' });
console.log(done.outcome, done.spent, done.reply?.text);
assert.equal(done.outcome, 'replied');
assert.equal(done.reply?.text, 'Looked into. The counter says: Forty-two.');
// 0.05 spent by the counter, 0.20 by the analyst, 0.10 by the manager.
assert.deepEqual(done.spent, { usd: 0.35, tokens: 0, unpriced: 0 });

// A declined delegation is a result, not an exception; its reservation is released.
const declined = await project.delegate('busy', 'And now?', { budget: { usd: 0.65 } });
assert.deepEqual([declined.outcome, declined.spent?.usd], ['rejected', 0]);
await assert.rejects(
  project.delegate('busy', 'And now?', { budget: { usd: 0.66 } }),
  /has 0.65 usd of its budget left/,
);

// The same key returns the same delegation.
const again = await project.delegate('manager', 'Find out how many there are.', { budget: { usd: 0.6 }, key: 'count' });
assert.deepEqual(again, { ...done, duplicate: true });
await hub.stop();
