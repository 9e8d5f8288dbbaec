/** Three models in a workflow: the coder hands off to the reviewer, who returns it once; then the tester finishes it. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { createLlmAdapter, joinHub } from 'parley-hub/participants';
import { type StubAnswer, stubModel } from './shared/stub-model.ts';

const handoff = (to: string, message: string): StubAnswer => ({
  calls: [{ name: 'handoff', arguments: { to, message } }],
});

// A stub model: the model name selects the role.
let reviews = 0;
const stub = await stubModel(({ model, messages }) => {
  if (model === 'coder') {
    return handoff(
      'reviewer',
      messages.length > 2 ? 'Now with a check for zero.' : 'function half(n) { return n / 2; }',
    );
  }
  if (model === 'tester')
    return { calls: [{ name: 'finish', arguments: { message: '12 tests pass.', reason: 'shipped' } }] };
  reviews += 1;
  // The graph below offers `approve` as a tool.
  return reviews === 1
    ? handoff('coder', 'What about zero?')
    : { text: 'Good.', calls: [{ name: 'approve', arguments: {} }] };
});

const hub = await createHub();
const parts = ['coder', 'reviewer', 'tester'];
const participants = await Promise.all(
  parts.map(async (name) =>
    joinHub(await hub.agent(name), {
      agent: createLlmAdapter({ baseUrl: stub.baseUrl, apiKey: 'test-key', model: name }),
      systemPrompt: `You are the ${name}.`,
      tools: ['handoff', 'finish'],
      handlers: { onReply: ({ text, tool_calls }) => console.log(name, text, JSON.stringify(tool_calls ?? [])) },
    }),
  ),
);

// An approval passes the turn to the tester. Only a participant to whom the rule applies has the tool `approve`.
const graph: TransitionGraph = {
  initial_speaker: 'lead',
  transitions: [
    {
      when: {
        name: 'all_of',
        args: {
          conditions: [
            { name: 'from_speaker', args: { agent_id: 'reviewer' } },
            { name: 'tool_called', args: { tool_name: 'approve' } },
          ],
        },
      },
      then: { name: 'agent', args: { agent_id: 'tester' } },
      priority: 0,
    },
  ],
  default_target: { name: 'agent', args: { agent_id: 'coder' } },
  max_turns: 10,
};
const lead = await hub.agent('lead', { onMessage() {} });
const session = await lead.open('workflow', { participants: parts, knobs: { graph } });
await session.send('Please write half(n).');
assert.deepEqual(await session.ended(), { state: 'CLOSED', reason: 'shipped' });

const { session: metadata } = await session.info();
const speakers = [];
for await (const { event_type, sender_id } of session.log()) {
  if (event_type !== 'msg.packet') continue;
  speakers.push(metadata.participants.find(({ agent_id }) => agent_id === sender_id)?.name);
}
assert.deepEqual(speakers, ['coder', 'reviewer', 'coder', 'reviewer', 'tester']);
// Only the reviewer was offered `approve`.
const offered = new Map(stub.requests.map(({ model, tools }) => [model, tools.join(' ')]));
assert.deepEqual(Object.fromEntries(offered), {
  coder: 'handoff finish',
  reviewer: 'handoff finish approve',
  tester: 'handoff finish',
});

await Promise.all(participants.map((one) => one.close()));
await hub.stop();
await stub.stop();
