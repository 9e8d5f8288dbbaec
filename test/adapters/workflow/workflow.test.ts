import { CONDITIONS, roundRobin, sequence, TARGETS, type TransitionGraph } from 'parley-hub/adapters/transition-graph';
import { type WorkflowState, workflow } from 'parley-hub/adapters/workflow';
import {
  type Condition,
  callTool,
  completeAdapter,
  type Envelope,
  finish,
  handoff,
  type JsonObject,
  type RoundDraft,
  type RuleRef,
  type Target,
} from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';
import {
  adapterChecks,
  createdMetadata,
  type DraftSource,
  describeAdapter,
  History,
  type HistoryOptions,
  idOf,
} from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { readGolden } from '../read-golden.ts';
import { refusal, refusedAs } from '../refusal.ts';
import { mutants } from './workflow-mutants.ts';

const ref = (name: string, args: JsonObject = {}): RuleRef => ({ name, args });
const from = (name: string) => ref('from_speaker', { agent_id: idOf(name) });
const agent = (name: string) => ref('agent', { agent_id: idOf(name) });
const end = (reason: string) => ref('terminate', { reason });
const rule = (when: RuleRef, then: RuleRef, priority = 0) => ({ when, then, priority });

function graphWith(given: Partial<TransitionGraph> = {}): TransitionGraph {
  return { initial_speaker: idOf('alice'), transitions: [], default_target: null, max_turns: null, ...given };
}

/** A graph with branches on context, texts and tools, fallbacks and priorities. */
const busy = graphWith({
  transitions: [
    rule(ref('context_compare', { key: 'score', op: '>=', value: 3 }), end('good enough'), -1),
    rule(ref('tool_called', { tool_name: 'red' }), agent('carol')),
    rule(ref('text_contains', { any: ['BLUE'], case_insensitive: true }), ref('stay')),
    rule(
      ref('all_of', {
        conditions: [from('alice'), ref('not', { condition: ref('context_equals', { key: 'a b', value: null }) })],
      }),
      ref('random'),
    ),
    rule(from('alice'), agent('bob'), 1),
    rule(ref('any_of', { conditions: [from('bob'), from('carol')] }), ref('revert_to_initiator'), 2),
  ],
  default_target: ref('round_robin'),
  max_turns: 40,
});

/** Packets, handoffs by name and id, and context changes. */
const drafts: DraftSource = ({ metadata, random }) => {
  const { agent_id, name } = random.pick(metadata.participants);
  const contextUpdates = { set: { score: random.below(4), 'a b': random.pick([null, true]) }, delete: ['0'] };
  return [
    handoff(random.chance(0.5) ? agent_id : name, { reason: 'you know better', contextUpdates }),
    { event_type: 'msg.packet', event_data: { body: random.pick(['red', 'blue']), context_updates: contextUpdates } },
    { event_type: 'msg.packet', event_data: { body: null, routing: { kind: 'tool', tool: 'red' } } },
    { event_type: 'context.set', event_data: contextUpdates },
    ...(random.chance(0.1) ? [finish({ reason: 'done' })] : []),
  ];
};

const badGraphs: readonly JsonObject[] = [
  {},
  { graph: 7 },
  { graph: graphWith({ initial_speaker: idOf('mallory') }) },
  { graph: graphWith({ max_turns: 0 }) },
  { graph: graphWith({ transitions: [rule(ref('sometimes'), end('x'))] }) },
  { graph: graphWith({ transitions: [rule(from('mallory'), end('x'))] }) },
  { graph: graphWith(), context_vars: [] as never },
];

describeAdapter(workflow, {
  knobs: { graph: busy, context_vars: { score: 0, notes: ['a'] } },
  drafts,
  goodCreates: [{ participants: 2, knobs: { graph: graphWith() } }],
  badCreates: [{ participants: 1, knobs: { graph: graphWith() } }, ...badGraphs.map((knobs) => ({ knobs }))],
  golden: readGolden('workflow-1'),
});
describeAdapter(workflow, {
  name: 'a round robin workflow of five',
  participants: 5,
  knobs: { graph: roundRobin(['alice', 'bob', 'carol', 'dave', 'erin'].map(idOf)) },
  drafts,
});
describeAdapter(workflow, {
  name: 'a workflow in sequence',
  knobs: { graph: sequence(['carol', 'bob', 'alice'].map(idOf)) },
  drafts,
});
describeAdapter(workflow, {
  name: 'a workflow with a default agent',
  knobs: { graph: graphWith({ initial_speaker: idOf('bob'), default_target: agent('carol') }) },
  drafts,
});

type Session = History<WorkflowState>;

function aWorkflow(
  given: Partial<TransitionGraph> = {},
  { context_vars = {}, ...options }: HistoryOptions & { context_vars?: JsonObject } = {},
): Session {
  return new History(workflow, { knobs: { graph: graphWith(given), context_vars }, ...options });
}

const packet = (event_data: JsonObject): RoundDraft => ({
  event_type: 'msg.packet',
  event_data: { body: null, ...event_data },
});
const expected = ({ turn }: Session) => turn?.agent_id.replace('id-', '');
const hide = (session: Session, name: string) => session.hub('session.participant.hidden', { agent_id: idOf(name) });

describe('workflow', () => {
  it('[WF1] requires two participants, a graph and optional context variables', () => {
    expect(workflow.manifest).toEqual({
      type: 'workflow',
      version: 1,
      participants: { min: 2, max: null, roles: ['initiator', 'respondent', 'participant'] },
      knobs_schema: {
        type: 'object',
        properties: { graph: { type: 'object' }, context_vars: { type: 'object', default: {} } },
        required: ['graph'],
        additionalProperties: false,
      },
      default_view: { name: 'windowed_summary', params: { recent_n: 4, named: true } },
      expectations: [turnWithin(120, 'warn', { onFailure: true }), turnWithin(600, 'auto_close')],
    });
    const session = aWorkflow({}, { context_vars: { stage: 'draft' } });
    expect(session.state).toEqual({
      participant_order: ['alice', 'bob', 'carol'].map(idOf),
      active: ['alice', 'bob', 'carol'].map(idOf),
      expected_next_speaker: idOf('alice'),
      last_speaker_id: null,
      last_seq: 6,
      turn_count: 0,
      pending_close_reason: null,
      creator_id: idOf('alice'),
      context_vars: { stage: 'draft' },
    });
    expect(workflow.defaultView?.(session.metadata, idOf('bob'))).toEqual({
      name: 'windowed_summary',
      params: { recent_n: 6, named: true },
    });
  });

  it('[WF2] evaluates the lowest priority first, and equal ones in list order', () => {
    const transitions = [
      rule(from('alice'), agent('alice'), 2),
      rule(from('alice'), agent('carol'), -1),
      rule(from('alice'), agent('bob'), -1),
    ];
    const session = aWorkflow({ transitions });
    session.say('alice', 'hello');
    expect(session.turn).toEqual({ agent_id: idOf('carol'), since_seq: 7 });
  });

  it('[WF2] applies the first rule whose condition holds and whose target is active', () => {
    const transitions = [
      rule(from('bob'), agent('alice')),
      rule(from('alice'), agent('bob')),
      rule(from('alice'), agent('carol')),
    ];
    const session = aWorkflow({ transitions });
    hide(session, 'bob');
    session.say('alice', 'hello');
    expect(expected(session)).toBe('carol');
  });

  it('[WF2] falls back to default_target, then to the next active participant', () => {
    const session = aWorkflow({ default_target: agent('carol') });
    session.say('alice', 'hello');
    expect(expected(session)).toBe('carol');
    const other = aWorkflow({ default_target: agent('carol') });
    hide(other, 'carol');
    other.say('alice', 'hello');
    expect(expected(other)).toBe('bob');
  });

  it('[WF2] ends with after_work when no rule applies and there is no default', () => {
    expect(aWorkflow().say('alice', 'hello')).toEqual({ next_state: 'CLOSING', close_reason: 'after_work' });
    expect(aWorkflow({ default_target: end('bye') }).say('alice', 'hello').close_reason).toBe('bye');
  });

  it('[WF3] rejects texts and packets of others and names the holder', () => {
    const session = aWorkflow({ default_target: ref('round_robin') });
    session.say('alice', 'hello');
    for (const said of ['me!', packet({}), handoff('carol'), finish()]) {
      expect(refusal(() => session.say('carol', said))).toEqual(
        refusedAs('not_your_turn', "workflow expects 'bob' to speak, got 'carol'", { expected: idOf('bob') }),
      );
    }
    const before = session.state;
    expect(session.say('carol', { event_type: 'x.note', event_data: {} })).toEqual({});
    expect(session.state).toBe(before);
  });

  it('[WF3] rejects everything once it is complete', () => {
    const session = aWorkflow();
    session.say('alice', 'hello');
    expect(session.turn).toBeNull();
    for (const said of ['more', finish(), { event_type: 'context.set', event_data: {} }]) {
      expect(refusal(() => session.say('alice', said)).message).toBe('workflow is already complete: after_work');
    }
    hide(session, 'bob');
    expect(session.turn).toBeNull();
  });

  it('[WF4] hands off to a name or an id before any rule', () => {
    const session = aWorkflow({ transitions: [rule(ref('always'), end('never'))] });
    session.say('alice', handoff('carol'));
    expect(session.turn).toEqual({ agent_id: idOf('carol'), since_seq: 7 });
    session.say('carol', handoff(idOf('bob'), { reason: 'you know better', body: 'please', tool: 'ask' }));
    expect(expected(session)).toBe('bob');
    session.say('bob', handoff('bob'));
    expect(session.turn).toEqual({ agent_id: idOf('bob'), since_seq: 9 });
    expect(session.state.turn_count).toBe(3);
  });

  it('[WF4] routes a tool call by the rules', () => {
    const session = aWorkflow({ transitions: [rule(ref('tool_called', { tool_name: 'search' }), agent('carol'))] });
    session.say('alice', callTool('search', { body: 'found it', contextUpdates: { set: { found: 1 } } }));
    expect(expected(session)).toBe('carol');
    expect(session.state.context_vars).toEqual({ found: 1 });
    expect(session.say('carol', callTool('other')).close_reason).toBe('after_work');
  });

  it('[WF4] finishes with the given reason or finished', () => {
    expect(aWorkflow().say('alice', finish({ reason: 'solved' })).close_reason).toBe('solved');
    expect(aWorkflow().say('alice', finish()).close_reason).toBe('finished');
  });

  it.each<[string, JsonObject, string]>([
    [
      'a handoff without a target',
      { kind: 'handoff' },
      'routing.target: expected the participant to hand off to, got nothing',
    ],
    [
      'a handoff to a non-participant',
      { kind: 'handoff', target: 'mallory' },
      'routing.target: expected an active participant (alice, carol), got "mallory"',
    ],
    [
      'a handoff to an inactive participant',
      { kind: 'handoff', target: 'bob' },
      'routing.target: expected an active participant (alice, carol), got "bob"',
    ],
    [
      'a handoff to a number',
      { kind: 'handoff', target: 7 },
      'routing.target: expected the participant to hand off to, got 7',
    ],
    [
      'an unknown kind',
      { kind: 'jump', target: 'carol' },
      'routing.kind: expected "handoff", "finish" or "tool", got "jump"',
    ],
    ['a tool without a name', { kind: 'tool' }, 'routing.tool: expected the name of a tool, got nothing'],
    ['a tool that is not a name', { tool: 7 }, 'routing.tool: expected the name of a tool, got 7'],
    [
      'an end with an empty reason',
      { kind: 'finish', reason: '' },
      'routing.reason: expected text of 1 to 256 characters, got ""',
    ],
    [
      'a handoff with an empty reason',
      { kind: 'handoff', target: 'carol', reason: '' },
      'routing.reason: expected text of 1 to 256 characters, got ""',
    ],
  ])('[WF4] rejects %s by field', (_fault, routing, message) => {
    const session = aWorkflow({ default_target: ref('stay') });
    hide(session, 'bob');
    expect(refusal(() => session.say('alice', packet({ routing })))).toMatchObject({ code: 'protocol_error', message });
  });

  it('[WF5] accepts context.set from active participants at any time without moving the turn', () => {
    const session = aWorkflow({ default_target: ref('round_robin') }, { context_vars: { a: 1, b: 2 } });
    const { turn } = session;
    expect(
      session.say('carol', { event_type: 'context.set', event_data: { delete: ['a', 'b'], set: { b: 3 } } }),
    ).toEqual({});
    expect(session.state.context_vars).toEqual({ b: 3 });
    expect({ turn: session.turn, count: session.state.turn_count }).toEqual({ turn, count: 0 });
    const before = session.state;
    session.say('bob', { event_type: 'context.set', event_data: {} });
    expect(session.state).toBe(before);
    expect(refusal(() => session.say('bob', { event_type: 'context.set', event_data: { set: [] } })).message).toBe(
      'context.set.set: expected an object, got []',
    );
    expect(refusal(() => session.say('alice', packet({ context_updates: { delete: 'a' } }))).message).toBe(
      'context_updates.delete: expected a list of keys, got "a"',
    );
  });

  it('[WF6] changes the context before the rules, deletions first', () => {
    const transitions = [
      rule(ref('context_equals', { key: 'stage', value: 'done' }), agent('carol')),
      rule(ref('context_equals', { key: 'old', value: null }), agent('bob')),
    ];
    const session = aWorkflow({ transitions }, { context_vars: { old: 1 } });
    session.say('alice', packet({ context_updates: { delete: ['old', 'stage'], set: { stage: 'done' } } }));
    expect(expected(session)).toBe('carol');
    expect(session.state.context_vars).toEqual({ stage: 'done' });
    session.say('carol', packet({ context_updates: { delete: ['stage'] } }));
    expect(expected(session)).toBe('bob');
  });

  it('[WF6] counts the turn before the rules, and changes the context with handoffs and finishes', () => {
    const session = aWorkflow({ transitions: [rule(ref('turn_count', { op: '==', value: 1 }), agent('carol'))] });
    session.say('alice', packet({}));
    expect(expected(session)).toBe('carol');
    session.say('carol', handoff('bob', { contextUpdates: { set: { seen: true } } }));
    session.say('bob', finish({ contextUpdates: { set: { solved: true } } }));
    expect(session.state.context_vars).toEqual({ seen: true, solved: true });
  });

  it('[WF7] moves the turn in the fold that hides or removes its holder, to default_target or the next one', () => {
    const session = aWorkflow({ default_target: agent('carol') });
    hide(session, 'alice');
    expect(session.turn).toEqual({ agent_id: idOf('carol'), since_seq: 7 });
    session.hub('session.participant.removed', { agent_id: idOf('carol') });
    expect(session.turn).toEqual({ agent_id: idOf('bob'), since_seq: 8 });
    session.hub('session.participant.returned', { agent_id: idOf('alice') });
    expect(expected(session)).toBe('bob');
    for (const default_target of [null, end('no'), ref('stay'), ref('round_robin')]) {
      const other = aWorkflow({ default_target });
      hide(other, 'alice');
      expect(expected(other)).toBe('bob');
      expect(other.state.pending_close_reason).toBeNull();
    }
  });

  it('[WF7] begins with another participant if the initial speaker has not joined', () => {
    const initial_speaker = idOf('carol');
    expect(expected(aWorkflow({ initial_speaker }, { joined: 2 }))).toBe('alice');
    expect(expected(aWorkflow({ initial_speaker, default_target: agent('bob') }, { joined: 2 }))).toBe('bob');
  });

  it('[WF7] passes a turn to default_target, even if it is the initial speaker', () => {
    const session = aWorkflow({ default_target: agent('alice') });
    session.say('alice', handoff('bob'));
    hide(session, 'bob');
    expect(session.turn).toEqual({ agent_id: idOf('alice'), since_seq: session.metadata.head_seq });
  });

  it('[WF7] passes a turn to the participant after its holder', () => {
    const session = aWorkflow({ default_target: end('no') }, { participants: 4 });
    session.say('alice', handoff('carol'));
    hide(session, 'carol');
    expect(session.turn).toEqual({ agent_id: idOf('dave'), since_seq: session.metadata.head_seq });
  });

  it('[WF7] gives no turn before the session is open, even if a participant joins', () => {
    const graph = graphWith({ default_target: agent('bob') });
    const metadata = createdMetadata(workflow, { knobs: { graph } });
    const there = metadata.participants.map((one) => ({ ...one, status: 'active' as const }));
    const joined = { ...aWorkflow().log.at(-1), event_type: 'session.participant.joined' };
    const before = workflow.initialState(metadata);
    const state = workflow.fold(joined as Envelope, before, { ...metadata, participants: there });
    expect(state).toEqual({ ...before, active: ['alice', 'bob', 'carol'].map(idOf) });
  });

  it('[WF7] gives no turn while nobody is active', () => {
    const session = aWorkflow({ default_target: ref('round_robin') }, { participants: 2 });
    hide(session, 'bob');
    session.say('alice', 'hello');
    hide(session, 'alice');
    expect(session.turn).toBeNull();
    session.hub('session.participant.returned', { agent_id: idOf('bob') });
    expect(session.turn).toEqual({ agent_id: idOf('bob'), since_seq: session.metadata.head_seq });
  });

  it('[WF8] closes with max_turns at that turn, unless the graph gives a reason', () => {
    const session = aWorkflow({ default_target: ref('round_robin'), max_turns: 2 });
    expect(session.say('alice', 'one')).toEqual({});
    expect(session.say('bob', 'two')).toEqual({ next_state: 'CLOSING', close_reason: 'max_turns' });
    const last = aWorkflow({
      transitions: [rule(ref('turn_count', { op: '==', value: 1 }), end('mine'))],
      max_turns: 1,
    });
    expect(last.say('alice', 'one').close_reason).toBe('mine');
    expect(aWorkflow({ max_turns: 1 }).say('alice', finish({ reason: 'early' })).close_reason).toBe('early');
  });

  it('[WF10] rejects a change that makes knobs and context exceed 64 KiB', () => {
    const session = aWorkflow({ default_target: ref('round_robin') });
    const room = 65_536 - JSON.stringify({ ...session.metadata.knobs, context_vars: { big: '' } }).length;
    const set = (bytes: number) => ({ event_type: 'context.set', event_data: { set: { big: 'x'.repeat(bytes) } } });
    expect(refusal(() => session.say('bob', set(room + 1)))).toEqual({
      code: 'protocol_error',
      message: `context: ${room + 11} bytes of JSON after this change; beside this graph at most ${room + 10} are allowed`,
      details: { field: 'context', expected: `at most ${room + 10} bytes`, received: `${room + 11} bytes` },
    });
    session.say('bob', set(room));
    const more = { contextUpdates: { set: { more: 1 } } };
    expect(refusal(() => session.say('alice', handoff('bob', more))).message).toMatch(/^context: /);
    session.say('alice', handoff('bob', { contextUpdates: { ...more.contextUpdates, delete: ['big'] } }));
    expect(session.state.context_vars).toEqual({ more: 1 });
  });

  it('[WF11] compiles its graph once and keeps unchanged members of the state', () => {
    let compiled = 0;
    const graph = new Proxy(roundRobin(['alice', 'bob', 'carol'].map(idOf)), {
      get(target, key, receiver) {
        if (key === 'transitions') compiled += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    const session = new History(workflow, { knobs: { graph } });
    const opened = compiled;
    const { participant_order, active, context_vars } = session.state;
    for (let turn = 0; turn < 1000; turn++) session.say(expected(session) ?? '', 'hm');
    expect(session.state.turn_count).toBe(1000);
    expect(compiled).toBe(opened);
    expect(opened).toBeLessThanOrEqual(2);
    expect(session.state.participant_order).toBe(participant_order);
    expect(session.state.active).toBe(active);
    expect(session.state.context_vars).toBe(context_vars);
  });

  it('[WF11] binds nested conditions once, including those of custom conditions', () => {
    let looked = 0;
    const both: Condition = {
      name: 'both',
      version: 1,
      conditions: ['of'],
      holds: ({ of }, _routing, test) => (of as unknown as readonly RuleRef[]).every(test),
    };
    const conditions = new (class extends Map<string, Condition> {
      override get(name: string) {
        looked += 1;
        return super.get(name);
      }
    })([both, ...CONDITIONS].map((one) => [one.name, one]));
    const targets = new Map(TARGETS.map((one) => [one.name, one]));
    const of = [ref('always'), ref('not', { condition: from('bob') })];
    const knobs = { graph: graphWith({ transitions: [rule(ref('both', { of }), ref('stay'))] }) };
    const own = workflow.forSession?.(createdMetadata(workflow, { knobs }), { conditions, targets }) ?? workflow;
    const session = new History(own, { knobs });
    session.say('alice', 'hm');
    const before = looked;
    for (let turn = 0; turn < 10; turn++) session.say('alice', 'hm');
    expect(session.state.turn_count).toBe(11);
    expect(looked).toBe(before);
  });

  it('[WF13] passes the turn to the next active participant when its default target throws', () => {
    const throws: Target = {
      name: 'throws',
      version: 1,
      choose() {
        throw new Error('not today');
      },
    };
    const knobs = { graph: graphWith({ initial_speaker: idOf('bob'), default_target: ref('throws') }) };
    const vocabulary = { conditions: new Map(), targets: new Map([['throws', throws]]) };
    const own = workflow.forSession?.(createdMetadata(workflow, { knobs }), vocabulary) ?? workflow;
    const session = new History(own, { knobs });
    hide(session, 'bob');
    expect(expected(session)).toBe('carol');
    session.hub('session.participant.removed', { agent_id: idOf('carol') });
    expect(expected(session)).toBe('alice');
    expect(
      expected(new History(own, { knobs: { graph: { ...knobs.graph, initial_speaker: idOf('carol') } }, joined: 2 })),
    ).toBe('alice');
    expect(() => session.say('alice', 'hm')).toThrow(
      'target "throws" version 1 in knobs.graph.default_target threw not today',
    );
  });

  it('[WF12] offers handoff and finish to the holder of the turn', () => {
    const session = aWorkflow({ default_target: ref('round_robin') });
    const tools = (name: string) => workflow.tools?.(session.metadata, session.state, idOf(name)) ?? [];
    expect(tools('bob')).toEqual([]);
    expect(tools('alice').map(({ name }) => name)).toEqual(['handoff', 'finish']);
    expect(tools('alice')[0]?.parameters).toMatchObject({
      properties: { to: { enum: ['bob', 'carol'] } },
      required: ['to'],
    });
    hide(session, 'bob');
    hide(session, 'carol');
    expect(tools('alice').map(({ name }) => name)).toEqual(['finish']);
  });

  it('[WF12] offers the tools whose rules apply now, with their destinations', () => {
    const called = (tool_name: string) => ref('tool_called', { tool_name });
    const all = (...conditions: readonly RuleRef[]) => ref('all_of', { conditions });
    const session = aWorkflow({
      transitions: [
        rule(all(from('alice'), called('review')), agent('bob')),
        rule(all(from('bob'), called('approve')), end('approved')),
        rule(all(called('retry'), ref('context_equals', { key: 'tries', value: 1 })), agent('carol')),
        rule(called('shadowed'), ref('stay'), 2),
        rule(ref('any_of', { conditions: [called('not a name'), called('finish')] }), agent('carol')),
        rule(from('alice'), agent('carol'), 1),
        rule(ref('not', { condition: called('quiet') }), agent('bob'), 3),
      ],
      default_target: ref('round_robin'),
    });
    const tools = (name: string) => workflow.tools?.(session.metadata, session.state, idOf(name)).slice(2) ?? [];
    const message = { type: 'string', description: 'What to say with it.' };
    expect(tools('alice')).toEqual([
      {
        name: 'review',
        description: 'Say this message; bob speaks next.',
        parameters: { type: 'object', properties: { message }, additionalProperties: false },
      },
    ]);
    session.say('alice', { event_type: 'context.set', event_data: { set: { tries: 1 } } });
    expect(tools('alice').map(({ name }) => name)).toEqual(['review', 'retry']);
    session.say('alice', callTool('review'));
    expect(tools('alice')).toEqual([]);
    expect(tools('bob').map(({ name, description }) => [name, description])).toEqual([
      ['approve', 'End the session (approved) with this message.'],
      ['retry', 'Say this message; carol speaks next.'],
      ['shadowed', 'Say this message; bob speaks next.'],
    ]);
  });

  it.each<[RoundDraft | string, string]>([
    ['plain words', 'plain words'],
    [packet({ body: 'ask bob' }), 'ask bob'],
    [packet({ body: { text: 'ask', more: 1 } }), 'ask'],
    [packet({ body: { answer: 42 } }), '{"answer":42}'],
    [packet({ body: 'found it', routing: { tool: 'search' } }), 'found it (called search)'],
    [handoff('bob', { body: 'your turn' }), 'your turn (handoff to bob)'],
    [handoff('bob', { reason: 'you know better' }), '(handoff to bob: you know better)'],
    [finish(), '(finished)'],
    [finish({ body: '42', reason: 'solved' }), '42 (finished: solved)'],
  ])('[WF12] renders %j as a line to read', (said, line) => {
    const session = aWorkflow({ default_target: ref('round_robin') });
    session.say('alice', said);
    const [envelope] = session.log.slice(-1);
    expect(envelope && completeAdapter(workflow).render(envelope)).toBe(line);
    expect(envelope && workflow.turnInput?.(envelope)).toBe(line);
  });

  it('[WF12] tells a holder that gets the turn from the hub', () => {
    const session = aWorkflow();
    const [opened] = session.log.slice(-1);
    expect(opened && workflow.turnInput?.(opened)).toBe('It is your turn.');
  });

  it('[TG9] creates a separate workflow only for sessions with custom parts', () => {
    const metadata = createdMetadata(workflow, {
      knobs: { graph: graphWith({ transitions: [rule(ref('lucky'), end('won'))] }) },
    });
    const lucky = { name: 'lucky', version: 3, holds: () => true };
    const used = {
      conditions: new Map([['lucky', lucky]]),
      targets: new Map(TARGETS.filter(({ name }) => name === 'terminate').map((one) => [one.name, one])),
    };
    expect(workflow.uses?.(metadata, used)).toEqual({ conditions: ['lucky'], targets: ['terminate'] });
    const own = workflow.forSession?.(metadata, used);
    expect(own).not.toBe(workflow);
    own?.validateCreate(metadata);
    const session = new History(own ?? workflow, { knobs: metadata.knobs });
    expect(session.say('alice', 'hello').close_reason).toBe('won');
    const plain = { conditions: new Map(), targets: used.targets };
    expect(workflow.forSession?.(metadata, plain)).toBe(workflow);
    const stay2 = { name: 'stay', version: 2, choose: () => null };
    const newer = { conditions: new Map(), targets: new Map([['stay', stay2]]) };
    expect(workflow.forSession?.(metadata, newer)).not.toBe(workflow);
  });

  it('[AD18] finds every mutant with the golden log', () => {
    const options = { knobs: { graph: busy, context_vars: {} }, drafts, golden: readGolden('workflow-1') };
    for (const mutant of Object.values(mutants)) {
      const check = adapterChecks(mutant, options).find(({ title }) => title.startsWith('[AD18]'));
      expect(() => check?.run()).toThrow('any change to what an adapter returns needs a new version');
    }
  });
});
