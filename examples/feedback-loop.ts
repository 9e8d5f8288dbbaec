/** A feedback loop: a writer and a critic take turns until the score is good enough. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { callTool } from 'parley-hub/core';

const hub = await createHub();
let draft = 0;
const writer = await hub.agent('writer', {
  onTurn: (_turn, session) => {
    draft += 1;
    return session.send(`draft ${draft}`);
  },
});
let score = 0;
await hub.agent('critic', {
  onTurn: (_turn, session) => {
    score += 4;
    // The rules see the tool call and its result; the graph decides who is next.
    return session.send(callTool('score', { body: `score ${score}`, contextUpdates: { set: { score } } }));
  },
});

const graph: TransitionGraph = {
  initial_speaker: 'writer',
  transitions: [
    {
      when: { name: 'context_compare', args: { key: 'score', op: '>=', value: 10 } },
      then: { name: 'terminate', args: { reason: 'approved' } },
      priority: 0,
    },
  ],
  default_target: { name: 'round_robin', args: {} },
  // Ends a loop in which the critic is never satisfied.
  max_turns: 12,
};

const session = await writer.open('workflow', {
  participants: ['critic'],
  knobs: { graph, context_vars: { score: 0 } },
});
const { reason } = await session.ended();
for await (const { event_data } of session.log()) {
  const said = event_data.text ?? event_data.body;
  if (said !== undefined) console.log(said);
}
console.log('closed:', reason);
assert.equal(reason, 'approved');
assert.deepEqual({ draft, score }, { draft: 3, score: 12 });
await hub.stop();
