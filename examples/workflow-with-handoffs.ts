/** A workflow in which participants hand off to each other and share results as context variables. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { graphToMermaid, type TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { finish, handoff } from 'parley-hub/core';

const hub = await createHub();
const triage = await hub.agent('triage');
const billing = await hub.agent('billing');
const expert = await hub.agent('expert');

// A post without a handoff returns the turn to triage, the initiator.
const graph: TransitionGraph = {
  initial_speaker: 'triage',
  transitions: [],
  default_target: { name: 'revert_to_initiator', args: {} },
  max_turns: 10,
};
console.log(graphToMermaid(graph));
const session = await triage.open('workflow', {
  participants: ['billing', 'expert'],
  knobs: { graph, context_vars: { customer: 'ACME' } },
});

await session.send(handoff('billing', { body: 'Invoice 7 looks wrong.', contextUpdates: { set: { invoice: 7 } } }));
await billing.session(session.id).waitFor('msg.packet');
// A handoff to an unknown participant is rejected; the error lists the active ones.
await assert.rejects(billing.session(session.id).send(handoff('legal')), {
  code: 'protocol_error',
  message: 'routing.target: expected an active participant (triage, billing, expert), got "legal"',
});
await billing.session(session.id).send(handoff('expert', { reason: 'tax', contextUpdates: { set: { paid: true } } }));
// Any participant may set context at any time; the turn does not move.
await session.send({ event_type: 'context.set', event_data: { set: { priority: 'high' } } });
await expert.session(session.id).send('The rate changed in March.');
const { turn } = await session.info();
assert.equal(turn?.agent_id, triage.agentId);
await session.send(finish({ body: 'Refunded.', reason: 'refunded' }));

const { close_reason } = (await session.info()).session;
console.log('the workflow closes:', close_reason);
assert.equal(close_reason, 'refunded');
await hub.stop();
