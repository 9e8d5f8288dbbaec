/** A session that ends on its budget: two models talk until one of them reports that its next answer is too expensive. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { turnWithin } from 'parley-hub/expectations/entries';
import { createLlmAdapter, joinHub, readPrices } from 'parley-hub/participants';
import { stubModel } from './shared/stub-model.ts';

const stub = await stubModel(({ messages }) => `Point ${messages.length}: there is always something more to say.`);
// USD per million tokens. A USD limit requires prices.
const prices = readPrices({
  as_of: '2026-11-01',
  prices: [{ models: ['talker'], tiers: [{ above: 0, input: 1_000, output: 5_000 }] }],
});
const agent = createLlmAdapter({ baseUrl: stub.baseUrl, apiKey: 'test-key', model: 'talker', maxTokens: 50, prices });

const hub = await createHub();
const failures: string[] = [];
const join = async (name: string) =>
  joinHub(await hub.agent(name), {
    agent,
    budget: { perSession: { usd: 0.6 }, total: { tokens: 100_000, turns: 20 } },
    handlers: {
      onReply: ({ cost_usd }) => console.log(`${name} spoke for ${cost_usd} USD`),
      onError: ({ message }) => void failures.push(message),
    },
  });
const participants = [await join('ada'), await join('bob')];

const host = await hub.agent('host', { onTurn: (_offer, session) => session.send('Go on.') });
const session = await host.open('discussion', {
  participants: ['ada', 'bob'],
  // A reported failure ends the session.
  expectations: [turnWithin(60, 'auto_close', { onFailure: true })],
});
const { reason } = await session.ended();

console.log(`${reason}: ${failures[0]}`);
assert.equal(reason, 'expectation_violated:turn_within');
assert.match(
  failures[0] ?? '',
  /^openai\/talker: the budget of (ada|bob) for a session is 0\.6 USD; 0\.\d+ USD used; this call may need 0\.\d+ USD/,
);
// The session records spending to the billionth of a dollar; it stayed below the limit.
const spent = new Map<string, number>();
for await (const { sender_id, event_data } of session.log()) {
  const { cost_usd } = event_data;
  if (typeof cost_usd === 'number') spent.set(sender_id, (spent.get(sender_id) ?? 0) + cost_usd);
}
assert.equal(spent.size, 2);
for (const usd of spent.values()) assert.ok(usd > 0.1 && usd < 0.6);

await Promise.all(participants.map((one) => one.close()));
await hub.stop();
await stub.stop();
