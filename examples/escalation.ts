/** Escalation: support answers until a text sounds alarmed, then the manager gets the turn and ends the session. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';

const hub = await createHub();
const customer = await hub.agent('customer');
const support = await hub.agent('support', { onTurn: (_turn, session) => session.send('Have you tried again?') });
const manager = await hub.agent('manager', { onTurn: (_turn, session) => session.send('I will call you.') });

const from = (agent_id: string) => ({ name: 'from_speaker', args: { agent_id } });
const to = (agent_id: string) => ({ name: 'agent', args: { agent_id } });
const graph: TransitionGraph = {
  initial_speaker: 'customer',
  transitions: [
    // Lower priorities are evaluated first, so alarming words come before the default rules.
    {
      when: { name: 'text_contains', args: { any: ['lawyer', 'urgent'], case_insensitive: true } },
      then: to('manager'),
      priority: -1,
    },
    { when: { name: 'turn_count', args: { op: '>=', value: 20 } }, then: to('manager'), priority: -1 },
    { when: from('customer'), then: to('support'), priority: 0 },
    { when: from('support'), then: to('customer'), priority: 0 },
    { when: from('manager'), then: { name: 'terminate', args: { reason: 'escalated' } }, priority: 0 },
  ],
  default_target: null,
  max_turns: null,
};

const session = await customer.open('workflow', { participants: ['support', 'manager'], knobs: { graph } });
assert.deepEqual(session.warnings, []);
for (const text of ['It does not work.', 'Still not.', 'This is URGENT!']) {
  await session.send(text);
  const { sender_id, event_data } = await session.waitFor('msg.text');
  const who = sender_id === manager.agentId ? 'manager' : 'support';
  console.log(`customer: ${text}\n${who}: ${event_data.text}`);
  assert.equal(sender_id, text.includes('URGENT') ? manager.agentId : support.agentId);
}
const { reason } = await session.ended();
console.log('closed:', reason);
assert.equal(reason, 'escalated');
await hub.stop();
