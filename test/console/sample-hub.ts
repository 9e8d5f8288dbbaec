/** Sample sessions: a workflow, a governed run, a discussion, a violation, and some that have ended. */

import type { AgentClient, LocalHub } from 'parley-hub';
import type { JsonObject } from 'parley-hub/core';
import { type GovernedRun, governedRun } from './governed/run-in-hand.ts';

export interface Samples {
  readonly workflow: string;
  /** Sends a delta in the workflow. */
  write(): Promise<void>;
  readonly governed: GovernedRun;
  readonly discussion: string;
}

const NAMES = ['ada', 'grace', 'linus', 'margaret', 'ken', 'barbara'] as const;
type People = Readonly<Record<(typeof NAMES)[number], AgentClient>>;

/** `person` participates in the governed run; `join` accepts the invite. */
export async function sampleSessions(
  hub: LocalHub,
  person: string,
  join: (sessionId: string) => Promise<unknown>,
): Promise<Samples> {
  const made = await Promise.all(NAMES.map(async (name) => [name, await hub.agent(name)] as const));
  const people = Object.fromEntries(made) as People;
  for (const agent of Object.values(people)) agent.handle({ onMessage: () => {} });
  await others(people);
  await violation(people);
  const discussion = await talk(people);
  const { id: workflow, write } = await article(people);
  const governed = await shop(people, person, join);
  return { workflow, write, governed, discussion };
}

async function others({ ada, ken, barbara, linus }: People): Promise<void> {
  const intents = [
    'Name the release',
    'Review the parser',
    'Plan the week',
    'Which cache to use',
    'Write the changelog',
  ];
  for (const [at, intent] of intents.entries()) {
    const session = await (at % 2 === 0 ? ada : linus).open('conversation', {
      participants: [at % 2 === 0 ? 'ken' : 'barbara'],
      labels: { intent, team: at % 2 === 0 ? 'core' : 'docs' },
    });
    await session.send(`${intent}: where do we begin?`);
    await (at % 2 === 0 ? ken : barbara).session(session.id).send('With the existing ones.');
    if (at > 2) await session.close('settled');
  }
}

async function violation({ margaret }: People): Promise<void> {
  const session = await margaret.open('discussion', {
    participants: ['ken', 'ada'],
    labels: { intent: 'Who answers the pager tonight', team: 'core' },
    expectations: [{ name: 'turn_within', params: { seconds: 1 }, on_violation: 'notify_session' }],
  });
  await session.waitFor('expectation.violated').catch(() => {});
}

async function talk({ grace, ken, barbara }: People): Promise<string> {
  const session = await grace.open('discussion', {
    participants: ['ken', 'barbara'],
    labels: { intent: 'Should the index be rebuilt at night?', team: 'core' },
    expectations: [{ name: 'turn_within', params: { seconds: 900 }, on_violation: 'warn' }],
  });
  await session.send(
    'The index has grown to 40 GB. Rebuilding it takes 25 minutes, and readers feel it. Should it be done at night?',
  );
  await ken
    .session(session.id)
    .send('At night nobody is there if it fails. I would rather rebuild it in parts, all day long.');
  await barbara.session(session.id).send('In parts is fine with me, if a part that fails leaves the old one in place.');
  await session.send('Then let us say: in parts, each swapped in when it is whole. Ken, what would a part be?');
  return session.id;
}

async function article({ ada, grace, linus }: People): Promise<{ id: string; write: () => Promise<void> }> {
  const session = await ada.open('workflow', {
    participants: ['grace', 'linus'],
    knobs: { graph: WORKFLOW },
    labels: { intent: 'An article on how logs are kept', team: 'docs' },
  });
  const { id } = session;
  await session.send(
    priced('Draft: a log is a list to which lines are only ever added. The list has everything.', 0.0031),
  );
  await grace.session(id).send(priced('REVISE: say why lines are never changed, and what happens at a crash.', 0.0018));
  await session.send(
    priced(
      'Draft 2: lines are never changed, so that what was read stays true. After a crash the last line may be half; it is cut off.',
      0.0044,
    ),
  );
  const { envelope_id: causationId } = await grace
    .session(id)
    .send(priced('That is clear now. Over to the editor.', 0.0012));
  return {
    id,
    write: () => linus.session(id).delta('Reads well. I shortened the second sentence, and', { causationId }),
  };
}

function priced(text: string, cost_usd: number) {
  return { event_type: 'msg.text', event_data: { text, cost_usd } };
}

async function shop(
  { margaret }: People,
  person: string,
  join: (id: string) => Promise<unknown>,
): Promise<GovernedRun> {
  const intent = 'A shop that takes orders by mail';
  const run = await governedRun(margaret, [person], { intent, join });
  await run.out('turn_plan', 'pm');
  await run.accept('turn_plan', {
    summary: 'The plan has three steps: a form, a mailbox, a list of orders.',
    phase_transition_request: 'building',
    decisions: [
      {
        id: 'DEC-001',
        category: 'scope',
        statement: 'Orders come by mail alone',
        rationale: 'nobody asked for more yet',
      },
      {
        id: 'DEC-002',
        category: 'architecture',
        statement: 'One file for each order',
        rationale: 'it can be read without us',
      },
    ],
  });
  return run;
}

const from = (agent_id: string) => ({ name: 'from_speaker', args: { agent_id } });
const says = (text: string) => ({ name: 'text_contains', args: { any: [text] } });
const both = (...conditions: readonly JsonObject[]) => ({ name: 'all_of', args: { conditions: [...conditions] } });
const to = (agent_id: string) => ({ name: 'agent', args: { agent_id } });

/** ada drafts, grace returns or forwards it, linus ends it or asks for more. */
const WORKFLOW: JsonObject = {
  initial_speaker: 'ada',
  transitions: [
    { when: from('ada'), then: to('grace') },
    { when: both(from('grace'), says('REVISE')), then: to('ada') },
    { when: from('grace'), then: to('linus') },
    { when: both(from('linus'), says('MORE')), then: to('ada') },
    { when: from('linus'), then: { name: 'terminate', args: { reason: 'published' } } },
  ],
  default_target: null,
  max_turns: 20,
};
