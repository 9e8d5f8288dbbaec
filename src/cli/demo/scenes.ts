/** Plays the five scenes of the demo: one per session type, and one for deadlines. */

import type { TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { turnWithin } from 'parley-hub/expectations/entries';
import { named, windowedSummary } from 'parley-hub/views/refs';
import { HubError } from '../../core/lib/errors.ts';
import type { Json } from '../../core/lib/json.ts';
import type { RuleRef } from '../../core/ports/transition.ts';
import { finish, handoff } from '../../core/records/session/packets.ts';
import { type ExpectationEntry, nameOf, type SessionMetadata } from '../../core/records/session/session.ts';
import { expectRefusal, type Stage, waitForTexts } from './stage.ts';

export async function consult(stage: Stage): Promise<void> {
  const { view } = stage;
  const planner = await stage.agent('planner');
  const coder = await stage.agent('coder');
  view.title('consulting: one question, one reply');
  const question = await planner.open('consulting', ['coder']);
  const reply = coder.session(question.id);
  await view.beat();

  view.aside('coder', 'speaks first, out of turn');
  await expectRefusal(reply.send('Ask me about the export!'));
  await view.beat();

  const text = 'How long will the CSV export take?';
  await question.send(text, { key: 'question-1' });
  await view.beat();
  view.aside('planner', 'saw no answer and sends again, under the same key');
  const again = await question.send(text, { key: 'question-1' });
  if (again.duplicate !== true) throw new HubError('demo', 'a repeated send was accepted twice');
  view.aside('planner', `is answered "duplicate": it is seq ${again.seq}, in the log once`);
  await view.beat();

  await reply.waitFor('msg.text');
  await reply.send('Two days, tests included.');
  await question.waitFor('msg.text');
  await question.ended();
  await view.beat();
}

export async function converse(stage: Stage): Promise<void> {
  const { view } = stage;
  const coder = await stage.agent('coder');
  const answers = ['Put them in quotes, and double the quotes inside.', 'Yes. It reads well.'];
  await stage.agent('reviewer', {
    async onMessage(message) {
      if (!message.text.endsWith('?')) return;
      await view.beat();
      await message.reply(answers.shift() ?? 'Ask me tomorrow.');
    },
  });
  view.title('conversation: two talk until one closes it');
  const talk = await coder.open('conversation', ['reviewer']);
  await view.beat();

  await talk.send('The export is ready. It streams, so memory stays flat.');
  await view.beat();
  await talk.send('How do we write fields with line breaks?');
  await talk.waitFor('msg.text');
  await view.beat();
  await talk.send('Done. Shall I merge?');
  await talk.waitFor('msg.text');
  await view.beat();

  await talk.close('merged');
  await talk.ended();
  await view.beat();
  view.aside('coder', 'says one more thing');
  await expectRefusal(talk.send('Thank you!'));
  await view.beat();
}

const ROUNDS = 2;

export async function discuss(stage: Stage): Promise<void> {
  const { view } = stage;
  const planner = await stage.agent('planner');
  await stage.speaker('coder', ['It is merged. When the review is done.', 'Yes.']);
  const reviewer = await stage.speaker('reviewer', ['Friday, if the tests pass.', 'Then I sign it off.']);
  const tester = await stage.speaker('tester', ['They pass, but for one.', 'All green now.']);
  view.title('discussion: four speak in turn, for two rounds');
  const talk = await planner.open('discussion', {
    participants: ['coder', 'reviewer', 'tester'],
    knobs: { rounds: ROUNDS },
  });
  await view.beat();

  view.aside('tester', 'has an opinion already');
  await expectRefusal(tester.session(talk.id).send('Not on a Friday!'));
  await view.beat();

  await talk.send('When do we release the export?');
  await waitForTexts(talk, 3);
  await view.beat();
  await talk.send('So, is it Friday?');
  await waitForTexts(talk, 3);
  await talk.ended();
  await view.beat();
  view.shown('reviewer', await reviewer.session(talk.id).view({ view: named(windowedSummary(3)) }));
  await view.beat();
}

/** Limits only the coder: on a slow machine, the others could be late although they answer immediately. */
const CODER = { appliesTo: ['coder'] };
const EXPECTATIONS = [turnWithin(1, 'warn', CODER), turnWithin(2, 'hide', CODER)];

export async function missTurn(stage: Stage): Promise<void> {
  const { view } = stage;
  const planner = await stage.agent('planner');
  const coder = await stage.speaker('coder', [null, 'I was lost in a bug. It is fixed.']);
  await stage.speaker('reviewer', ['Not today. The export has a bug.', 'Then I see no reason to wait.']);
  view.title('deadlines: a turn that is not taken in time passes on');
  const talk = await planner.open('discussion', {
    participants: ['coder', 'reviewer'],
    knobs: { rounds: 2 },
    expectations: EXPECTATIONS,
  });
  const { session } = await talk.info();
  for (const entry of session.manifest.expectations) view.aside('rule', describeExpectation(entry, session));
  await view.beat();

  const late = coder.session(talk.id);
  const warning = late.waitFor('expectation.violated');
  await talk.send('Do we release today?');
  view.aside('coder', 'says nothing, and time goes by');
  // Only wait: the hub's timers and the reviewer move the session.
  await waitForTexts(talk, 1);
  await warning;
  await view.beat();

  view.aside('coder', 'has read the warning too late, and speaks');
  await expectRefusal(late.send('Wait for me!'));
  await view.beat();
  await late.comeBack();
  await view.beat();
  await talk.send('Coder, what do you say?');
  await waitForTexts(talk, 2);
  await talk.ended();
  await view.beat();
}

function describeExpectation(
  { params, on_violation, applies_to = [] }: ExpectationEntry,
  metadata: SessionMetadata,
): string {
  const who = applies_to.map((id) => nameOf(metadata, id)).join(', ');
  return `if ${who} has the turn for ${String(params.seconds)} s ▸ ${on_violation}`;
}

const after = (agent_id: string): RuleRef => ({ name: 'from_speaker', args: { agent_id } });
const to = (agent_id: string): RuleRef => ({ name: 'agent', args: { agent_id } });

/** True after triage has set this topic. */
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
  // A listener acks the envelopes that she receives.
  maria.onMessage(() => {});
  await staff(stage);
  view.title('workflow: a graph and the context select the next speaker');
  const ticket = await maria.open('workflow', {
    participants: ['triage', 'billing', 'network', 'lead'],
    knobs: { graph, context_vars: { topic: null } },
  });
  const { session } = await ticket.info();
  for (const rule of describeTransitions(session)) view.aside('rule', rule);
  await view.beat();

  await ticket.send('I was charged twice for the export.');
  await ticket.ended();
  await view.beat();
  await maria.close();
}

/** No agent knows the graph: triage sets the topic, and the graph chooses who is next. */
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

/** Describes each transition in one line, with names instead of ids. */
function describeTransitions(metadata: SessionMetadata): readonly string[] {
  const { transitions } = metadata.knobs.graph as unknown as TransitionGraph;
  return transitions.map(({ when, then }) => `${condition(when, metadata)} ▸ ${target(then, metadata)}`);
}

function condition({ name, args }: RuleRef, metadata: SessionMetadata): string {
  switch (name) {
    case 'all_of':
      return (args.conditions as unknown as readonly RuleRef[]).map((one) => condition(one, metadata)).join(', ');
    case 'from_speaker':
      return `after ${called(args.agent_id, metadata)}`;
    case 'context_equals':
      return `if ${args.key} = ${args.value}`;
    default:
      return name;
  }
}

function target({ name, args }: RuleRef, metadata: SessionMetadata): string {
  return name === 'agent' ? called(args.agent_id, metadata) : name;
}

function called(agentId: Json | undefined, metadata: SessionMetadata): string {
  return nameOf(metadata, String(agentId));
}
