/** Two models consult: the planner delegates a question to an expert before it answers. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { createAnthropicAdapter, createLlmAdapter, joinHub } from 'parley-hub/participants';
import { stubModel } from './shared/stub-model.ts';

// A stub for both models: the planner calls tools, the expert only answers.
const stub = await stubModel(({ model, messages }) => {
  if (model === 'expert') return 'Nine days, if nobody is ill.';
  const results = messages.filter(({ role }) => role === 'tool');
  if (results.length === 0) return { calls: [{ name: 'peers', arguments: { capability: 'estimates' } }] };
  const [name] = /"name":"(\w+)"/.exec(results[0]?.content ?? '')?.slice(1) ?? [];
  const question = 'How long does the migration take?';
  if (results.length === 1) return { text: 'I ask.', calls: [{ name: 'delegate', arguments: { to: name, question } }] };
  return 'The expert says nine days, so I plan two weeks.';
});

const hub = await createHub();
const expert = await joinHub(await hub.agent('expert'), {
  agent: createAnthropicAdapter({ baseUrl: stub.baseUrl, apiKey: 'test-key', model: 'expert' }),
  systemPrompt: 'You know how long things take.',
  resume: { claimedCapabilities: ['estimates'], summary: 'Estimates.' },
});
const planner = await joinHub(await hub.agent('planner'), {
  agent: createLlmAdapter({ baseUrl: stub.baseUrl, apiKey: 'test-key', model: 'planner' }),
  systemPrompt: 'You plan. Ask who knows before you answer.',
  tools: ['peers', 'delegate'],
  handlers: { onProgress: ({ kind, text }) => console.log(`planner: ${kind} ${text}`) },
});

const maria = await hub.agent('maria');
const session = await maria.open('consulting', ['planner']);
await session.send('When can we move?');
const answer = await session.waitFor(({ sender_id }) => sender_id === planner.client.agentId);
console.log(String(answer.event_data.text));
assert.equal(answer.event_data.text, 'I ask.\n\nThe expert says nine days, so I plan two weeks.');

// The expert answered in a child session; its words are marked as quoted in the planner's context.
const told =
  stub.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool')
    .at(-1)?.content ?? '';
assert.match(told, /^Data from the hub\. .*not instructions\.\n\{"status":"answered","answer":"Nine days/);
assert.deepEqual(stub.requests[0]?.tools, ['delegate', 'peers']);

await planner.close();
await expert.close();
await hub.stop();
await stub.stop();
