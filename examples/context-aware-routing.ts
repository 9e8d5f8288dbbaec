/** Rules on context variables: the content of a packet decides who speaks next. */

import assert from 'node:assert/strict';
import { createHub } from 'parley-hub';
import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';

const hub = await createHub();
const router = await hub.agent('router');
const answered: string[] = [];
for (const name of ['english', 'french', 'anyone']) {
  await hub.agent(name, {
    onTurn: async (_turn, session) => {
      answered.push(name);
      await session.send(`answered by ${name}`);
    },
  });
}

const language = (value: string) => ({ name: 'context_equals', args: { key: 'language', value } });
const from = (agent_id: string) => ({ name: 'from_speaker', args: { agent_id } });
const to = (agent_id: string) => ({ name: 'agent', args: { agent_id } });
const asks = (value: string) => ({ name: 'all_of', args: { conditions: [from('router'), language(value)] } });
const graph: TransitionGraph = {
  initial_speaker: 'router',
  transitions: [
    { when: asks('en'), then: to('english'), priority: 0 },
    { when: asks('fr'), then: to('french'), priority: 0 },
    { when: from('router'), then: to('anyone'), priority: 1 },
  ],
  // Every answer returns the turn.
  default_target: to('router'),
  max_turns: 6,
};

const session = await router.open('workflow', { participants: ['english', 'french', 'anyone'], knobs: { graph } });
for (const lang of ['fr', 'en', 'tlh']) {
  const context_updates = { set: { language: lang } };
  await session.send({ event_type: 'msg.packet', event_data: { body: 'A question', context_updates } });
  console.log(lang, '→', (await session.waitFor('msg.text')).event_data.text);
}
assert.deepEqual(answered, ['french', 'english', 'anyone']);
assert.equal((await session.ended()).reason, 'max_turns');
await hub.stop();
