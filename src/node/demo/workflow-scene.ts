/** A ticket: a graph routes it to one of two specialists by what triage found out, who hands it off to the one who ends it. */

import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { finish, handoff } from '../../core/records/session/packets.ts';
import type { RuleRef } from '../../core/ports/transition.ts';
import { transitionsIn } from './describe-rule.ts';
import type { Stage } from '../../cli/demo/stage.ts';

const after = (agent_id: string): RuleRef => ({ name: 'from_speaker', args: { agent_id } });
const to = (agent_id: string): RuleRef => ({ name: 'agent', args: { agent_id } });

/** Triage has spoken, and said what the ticket is about. */
function about(value: string): RuleRef {
  const topic = { name: 'context_equals', args: { key: 'topic', value } };
  return { name: 'all_of', args: { conditions: [after('triage'), topic] } };
}

const graph: TransitionGraph = {
  initial_speaker: 'maria',
  transitions: [
    { when: after('maria'), then: to('triage'), priority: 0 },
    { when: about('billing'), then: to('billing'), priority: 0 },
    { when: about('network'), then: to('network'), priority: 0 },
  ],
  default_target: { name: 'revert_to_initiator', args: {} },
  max_turns: 12,
};

export async function handleTicket(stage: Stage): Promise<void> {
  const { hub, view } = stage;
  const maria = await hub.human('maria');
  // She reads along: what is pushed to her is read.
  maria.onMessage(() => {});
  await staff(stage);
  view.title('workflow: a graph and what is known say who is next');
  const ticket = await maria.open('workflow', {
    participants: ['triage', 'billing', 'network', 'lead'],
    knobs: { graph, context_vars: { topic: null } },
  });
  const { session } = await ticket.info();
  for (const rule of transitionsIn(session)) view.aside('rule', rule);
  await view.beat();

  await ticket.send('I was charged twice for the export.');
  await ticket.ended();
  await view.beat();
  await maria.close();
}

/** None of them knows the graph. Triage says what the ticket is about; who gets it is not its business. */
async function staff(stage: Stage): Promise<void> {
  await stage.agent('triage', {
    onTurn({ message }, session) {
      const topic = /charged|invoice|refund/.test(message?.text ?? '') ? 'billing' : 'network';
      const event_data = { body: `It is about ${topic}.`, context_updates: { set: { topic } } };
      return session.send({ event_type: 'msg.packet', event_data });
    },
  });
  await stage.agent('billing', {
    onTurn: (_turn, session) => session.send(handoff('lead', { body: 'Two charges of 480.', reason: 'over 100' })),
  });
  await stage.speaker('network', ['The line is fine.']);
  await stage.agent('lead', {
    onTurn: (_turn, session) => session.send(finish({ body: '480 are on their way back.', reason: 'refunded' })),
  });
}
