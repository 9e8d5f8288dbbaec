/** Breaks a loop: no_progress detects two agents that keep thanking each other, before they spend their budget. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { budgetWithin, maxTurns, noProgress } from 'parley-hub/expectations/entries';

const hub = await createHub();
let thanks = 0;
/** A model with nothing new to say: the number changes, the words do not. */
const polite = (words: string) => ({
  text: `${words} (message ${++thanks})`,
  usage: { fresh: 900, output: 12 },
  cost_usd: 0.002,
});
const content = (words: string) => ({ event_type: 'msg.text', event_data: polite(words) });

const alice = await hub.agent('alice', { onTurn: (_turn, session) => session.send(content('Thank you!')) });
await hub.agent('bob', { onTurn: (_turn, session) => session.send(content('No, thank YOU!')) });

const session = await alice.open('discussion', {
  participants: ['bob'],
  expectations: [
    noProgress(3, 'auto_close'),
    budgetWithin({ usd: 5, tokens: 1_000_000 }, 'auto_close'),
    maxTurns(200, 'auto_close'),
  ],
});
const { reason } = await session.ended();
assert.equal(reason, 'expectation_violated:no_progress');
// alice sent the same text three times, bob twice.
assert.equal(thanks, 5);

const violations = (await hub.audit()).filter(({ kind }) => kind === 'expectation_violated');
assert.equal(violations.length, 1);
console.log(`${reason} after ${thanks} messages: ${String(violations[0]?.detail.detail)}`);
assert.equal(violations[0]?.detail.detail, 'alice has said the same 3 times in a row');
await hub.stop();
