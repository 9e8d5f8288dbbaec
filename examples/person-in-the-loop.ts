/** A person in the loop: an agent proposes, a person decides. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import { createManualAdapter, createScriptAdapter, joinHub, type Question } from 'parley-hub/participants';

const hub = await createHub();

// The callback asks the person: in a terminal, a form or a message. null = no answer, and the turn fails.
const questions: string[] = [];
async function askMaria({ text, onDelta }: Question) {
  questions.push(text);
  console.log('maria is asked:', text);
  onDelta('Let me see …');
  if (text.includes('Drop')) return 'No. Rename it first.';
  // A `finish` call ends the workflow; a text alone would continue it.
  return { text: 'Yes.', tool_calls: [{ name: 'finish', arguments: { reason: 'approved' } }] };
}
const maria = await joinHub(await hub.agent('maria', { register: { kind: 'human' } }), {
  agent: createManualAdapter(askMaria),
});

// A script agent; a model or a CLI can replace it without other changes.
const migrator = await joinHub(await hub.agent('migrator'), {
  agent: createScriptAdapter(['Drop the table "orders"?', 'Rename the table "orders" to "orders_2025"?']),
});

const session = await migrator.client.open('workflow', {
  participants: ['maria'],
  knobs: {
    graph: {
      initial_speaker: 'migrator',
      transitions: [],
      default_target: { name: 'round_robin', args: {} },
      max_turns: 10,
    },
  },
});
const { reason } = await session.ended();
console.log('the workflow ends:', reason);
assert.equal(reason, 'approved');
assert.equal(questions.length, 2);

await migrator.close();
await maria.close();
await hub.stop();
