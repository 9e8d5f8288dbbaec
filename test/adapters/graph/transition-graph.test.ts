import fc from 'fast-check';
import {
  CONDITIONS,
  graphToMermaid,
  graphWarnings,
  parseGraph,
  roundRobin,
  sequence,
  TARGETS,
  type TransitionGraph,
} from 'parley-hub/adapters/transition-graph';
import { type WorkflowState, workflow } from 'parley-hub/adapters/workflow';
import type { Condition, Json, JsonObject, RuleRef, Vocabulary } from 'parley-hub/core';
import { createdMetadata, History, idOf } from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { refusal } from '../refusal.ts';
import { anyGraph } from './any-graph.ts';

const always: RuleRef = { name: 'always', args: {} };
const from = (name: string): RuleRef => ({ name: 'from_speaker', args: { agent_id: name } });
const agent = (name: string): RuleRef => ({ name: 'agent', args: { agent_id: name } });
const terminate: RuleRef = { name: 'terminate', args: { reason: 'done' } };
const turnCount = (op: string, value: number): RuleRef => ({ name: 'turn_count', args: { op, value } });
const ref = (name: string, args: JsonObject = {}): RuleRef => ({ name, args });
const rule = (when: RuleRef, then: RuleRef, priority = 0) => ({ when, then, priority });

const WORDS = ['yes', 'no', 'urgent', 'URGENT', '', 'done'];

function graphWith(given: Partial<TransitionGraph>): TransitionGraph {
  return { initial_speaker: 'alice', transitions: [], default_target: null, max_turns: null, ...given };
}

/** The resolved knobs and warnings of a session created with these knobs. */
function createdWith(graph: Json, more: JsonObject = {}) {
  const metadata = createdMetadata(workflow, { knobs: { graph, ...more } });
  const knobs = workflow.resolveKnobs?.(metadata) ?? {};
  workflow.validateCreate({ ...metadata, knobs });
  return { knobs, warnings: workflow.warnings?.({ ...metadata, knobs }) };
}

describe('a graph from JSON', () => {
  it('[TG1] gets defaults', () => {
    expect(parseGraph({ initial_speaker: 'alice' })).toEqual(graphWith({}));
    const transitions = [{ when: { name: 'always' }, then: { name: 'stay' } }];
    expect(parseGraph({ initial_speaker: 'alice', transitions })).toEqual(
      graphWith({ transitions: [rule(always, ref('stay'))] }),
    );
  });

  it('[TG1] survives JSON and a second resolve unchanged', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const parsed = parseGraph(graph);
        expect(parseGraph(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed);
        const { knobs } = createdWith(graph);
        expect(createdWith(knobs.graph ?? null).knobs).toEqual(knobs);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, Json, string]>([
    [
      'no object',
      7,
      'knobs.graph: expected an object with initial_speaker, transitions, default_target, max_turns, got 7',
    ],
    ['no initial speaker', {}, 'knobs.graph.initial_speaker: expected a participant, got nothing'],
    [
      'an unknown initial speaker',
      { initial_speaker: 'mallory' },
      'knobs.graph.initial_speaker: expected a participant (alice, bob, carol), got "mallory"',
    ],
    [
      'an unknown member',
      { initial_speaker: 'alice', rules: [] },
      'knobs.graph.rules: expected one of initial_speaker, transitions, default_target, max_turns, got []',
    ],
    [
      'no list',
      graphWith({ transitions: {} as never }),
      'knobs.graph.transitions: expected a list of transitions, got {}',
    ],
    [
      'max_turns 0',
      graphWith({ max_turns: 0 }),
      'knobs.graph.max_turns: expected a whole number of at least 1, or null, got 0',
    ],
    [
      'max_turns 2.5',
      graphWith({ max_turns: 2.5 }),
      'knobs.graph.max_turns: expected a whole number of at least 1, or null, got 2.5',
    ],
    [
      'a priority in words',
      graphWith({ transitions: [rule(always, terminate, 'high' as never)] }),
      'knobs.graph.transitions.0.priority: expected a number, got "high"',
    ],
    [
      'an unknown condition',
      graphWith({ transitions: [rule(ref('sometimes'), terminate)] }),
      `knobs.graph.transitions.0.when.name: expected a registered condition (${CONDITIONS.map(({ name }) => name).join(', ')}), got "sometimes"`,
    ],
    [
      'an unknown condition inside another',
      graphWith({
        transitions: [rule(ref('not', { condition: ref('any_of', { conditions: [always, ref('no')] }) }), terminate)],
      }),
      `knobs.graph.transitions.0.when.args.condition.args.conditions.1.name: expected a registered condition (${CONDITIONS.map(({ name }) => name).join(', ')}), got "no"`,
    ],
    [
      'an unknown target',
      graphWith({ default_target: ref('leave') }),
      'knobs.graph.default_target.name: expected a registered target (agent, round_robin, next_in, stay, revert_to_initiator, terminate, random), got "leave"',
    ],
    [
      'an unknown agent as a target',
      graphWith({ transitions: [rule(always, terminate), rule(always, terminate), rule(always, agent('dave'))] }),
      'knobs.graph.transitions.2.then.args.agent_id: expected a participant (alice, bob, carol), got "dave"',
    ],
    [
      'an unknown agent in a nested condition',
      graphWith({ transitions: [rule(ref('all_of', { conditions: [from('dave')] }), terminate)] }),
      'knobs.graph.transitions.0.when.args.conditions.0.args.agent_id: expected a participant (alice, bob, carol), got "dave"',
    ],
    [
      'an unknown agent in a list',
      graphWith({ default_target: ref('next_in', { agents: ['bob', 'dave'] }) }),
      'knobs.graph.default_target.args.agents.1: expected a participant (alice, bob, carol), got "dave"',
    ],
    [
      'an agent twice in a list, by name and by id',
      graphWith({ default_target: ref('next_in', { agents: ['bob', idOf('bob')] }) }),
      'knobs.graph.default_target.args.agents: expected a list of participants, each of them once, got ["id-bob","id-bob"]',
    ],
    [
      'a reason that is too long',
      graphWith({ default_target: ref('terminate', { reason: 'x'.repeat(300) }) }),
      `knobs.graph.default_target.args.reason: expected text of 1 to 256 characters, got "${'x'.repeat(76)}... (300 characters)`,
    ],
    [
      'wrong arguments',
      graphWith({ transitions: [rule(turnCount('=', 3), terminate)] }),
      'knobs.graph.transitions.0.when.args.op: expected one of == != < <= > >=, got "="',
    ],
    [
      'unknown arguments',
      graphWith({ default_target: ref('stay', { turns: 3 }) }),
      'knobs.graph.default_target.args.turns: expected no arguments, got 3',
    ],
    [
      'an invalid nested condition',
      graphWith({ transitions: [rule(ref('all_of', { conditions: ['always'] }), terminate)] }),
      'knobs.graph.transitions.0.when.args.conditions.0: expected an object with name, args, got "always"',
    ],
  ])('[TG2] rejects %s and names the rule', (_fault, graph, message) => {
    const refused = refusal(() => createdWith(graph));
    expect(refused.message).toBe(message);
    const [field, rest = ''] = message.split(/: expected /);
    const [expected, received] = [
      rest.slice(0, rest.lastIndexOf(', got ')),
      rest.slice(rest.lastIndexOf(', got ') + 6),
    ];
    expect(refused.details).toEqual({ field, expected, received });
  });

  it('[TG2] rejects an unresolved graph', () => {
    const metadata = createdMetadata(workflow, { knobs: { graph: sequence(['alice', 'bob']) } });
    expect(refusal(() => workflow.validateCreate(metadata)).message).toBe(
      'knobs.graph.initial_speaker: expected a participant (alice, bob, carol), got "alice"',
    );
  });

  it('[TG2, RE6] rejects knobs over 64 KiB after names are resolved to ids', () => {
    const refused = (bytes: number) =>
      refusal(() => createdWith(graphWith({}), { context_vars: { big: 'x'.repeat(bytes) } }));
    expect(refused(66_000)).toMatchObject({
      message: expect.stringMatching(
        /^knobs: expected at most 65536 bytes of JSON with names resolved to ids, got 66\d\d\d$/,
      ),
    });
    expect(() => refused(65_000)).toThrow('expected a refusal, got none');
    const room = 65_536 - JSON.stringify(createdWith(graphWith({}), { context_vars: { big: '' } }).knobs).length;
    expect(() => refused(room)).toThrow('expected a refusal, got none');
    expect(refused(room + 1).message).toMatch(/, got 65537$/);
  });

  it('[TG2] shows up to 80 characters of a wrong value', () => {
    const shown = (length: number) => refusal(() => createdWith('x'.repeat(length - 2))).details?.received;
    expect(shown(80)).toBe(`"${'x'.repeat(78)}"`);
    expect(shown(81)).toBe(`"${'x'.repeat(76)}... (79 characters)`);
  });

  it('[TG2, L8] allows at most 256 conditions, including nested ones, and 16 texts in a list', () => {
    const inner = (count: number) => ref('any_of', { conditions: Array.from({ length: count }, () => always) });
    const create = (when: RuleRef) => {
      const knobs = { graph: graphWith({ transitions: [rule(when, terminate)] }) };
      return () => workflow.resolveKnobs?.(createdMetadata(workflow, { participants: 3, knobs }));
    };
    const texts = (count: number) => ref('text_contains', { any: Array.from({ length: count }, (_, i) => `t${i}`) });
    expect(create(inner(255))).not.toThrow();
    expect(create(texts(16))).not.toThrow();
    expect(refusal(create(inner(256))).message).toMatch(/expected at most 256 conditions in a graph/);
    expect(refusal(create(texts(17))).message).toMatch(/any: expected a list of 1 to 16 texts/);
  });

  it('[TG2] requires a finite priority', () => {
    for (const priority of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(refusal(() => parseGraph(graphWith({ transitions: [rule(always, terminate, priority)] }))).message).toBe(
        'graph.transitions.0.priority: expected a number, got null',
      );
    }
  });

  it('[TG5, TG9] resolves participants in lists of custom parts and in the default target', () => {
    const graph = graphWith({ transitions: [rule(ref('said_by', { who: ['bob', 'carol'] }), terminate)] });
    const saidBy = { name: 'said_by', version: 1, agents: ['who'], holds: () => true };
    const away = { name: 'away', version: 1, choose: () => null };
    const vocabulary: Vocabulary = {
      conditions: new Map([['said_by', saidBy]]),
      targets: new Map([...TARGETS, away].map((target) => [target.name, target])),
    };
    const metadata = createdMetadata(workflow, { knobs: { graph: { ...graph, default_target: ref('away') } } });
    const own = workflow.forSession?.(metadata, vocabulary);
    expect(workflow.uses?.(metadata, vocabulary)).toEqual({ conditions: ['said_by'], targets: ['terminate', 'away'] });
    expect(own?.resolveKnobs?.(metadata)).toMatchObject({
      graph: { transitions: [{ when: { args: { who: [idOf('bob'), idOf('carol')] } } }] },
    });
    const strange = { ...graph, transitions: [rule(ref('said_by', { who: ['bob', 'dave'] }), terminate)] };
    expect(refusal(() => own?.resolveKnobs?.(createdMetadata(workflow, { knobs: { graph: strange } }))).message).toBe(
      'knobs.graph.transitions.0.when.args.who.1: expected a participant (alice, bob, carol), got "dave"',
    );
  });

  it('[TG5] prefers an id to an equal name', () => {
    const metadata = createdMetadata(workflow, { knobs: { graph: graphWith({ initial_speaker: idOf('carol') }) } });
    const participants = metadata.participants.map((one) =>
      one.name === 'bob' ? { ...one, name: idOf('carol') } : one,
    );
    const knobs = workflow.resolveKnobs?.({ ...metadata, participants });
    expect(knobs).toMatchObject({ graph: { initial_speaker: idOf('carol') } });
  });

  it('[TG5] replaces names of participants by ids everywhere', () => {
    const graph = graphWith({
      transitions: [rule(ref('not', { condition: from('bob') }), agent('carol'), 3)],
      default_target: agent(idOf('alice')),
    });
    expect(createdWith(graph, { context_vars: { bob: 'bob' } }).knobs).toEqual({
      graph: {
        initial_speaker: idOf('alice'),
        transitions: [rule(ref('not', { condition: from(idOf('bob')) }), agent(idOf('carol')), 3)],
        default_target: agent(idOf('alice')),
        max_turns: null,
      },
      context_vars: { bob: 'bob' },
    });
  });
});

describe('warnings', () => {
  const never = (i: number, why: string) => `knobs.graph.transitions.${i}: it can never be chosen: ${why}`;
  const behind = (i: number) => `transition ${i} always comes before it`;
  const endless =
    'knobs.graph: nothing in it ends the session (no terminate, no max_turns); it goes on until somebody finishes or closes it, or its time to live is over';
  const equals = (key: string, value: Json) => ref('context_equals', { key, value });
  const warned = (given: Partial<TransitionGraph>) => createdWith(graphWith({ max_turns: 9, ...given })).warnings;

  it.each<[string, Partial<TransitionGraph>, readonly string[]]>([
    [
      'a rule behind one that always applies',
      { transitions: [rule(always, ref('stay')), rule(from('bob'), terminate)] },
      [never(1, behind(0))],
    ],
    [
      'a rule before it in the list but behind it in priority',
      { transitions: [rule(from('bob'), terminate, 2), rule(always, ref('round_robin'), 1)] },
      [never(0, behind(1))],
    ],
    [
      'not behind one whose target may be away',
      {
        transitions: [
          rule(always, agent('bob')),
          rule(always, ref('revert_to_initiator')),
          rule(from('bob'), terminate),
        ],
      },
      [],
    ],
    [
      'a rule that repeats another',
      { transitions: [rule(from('bob'), agent('carol')), rule(from('bob'), agent('carol'))] },
      [never(1, behind(0))],
    ],
    [
      'not one with another target',
      { transitions: [rule(from('bob'), agent('carol')), rule(from('bob'), agent('alice'))] },
      [],
    ],
    [
      'a narrower condition behind a wider one',
      {
        transitions: [
          rule(from('bob'), terminate),
          rule(ref('all_of', { conditions: [turnCount('>', 2), from('bob')] }), agent('carol')),
        ],
      },
      [never(1, behind(0))],
    ],
    [
      'a part of an any_of behind it',
      {
        transitions: [
          rule(ref('any_of', { conditions: [from('alice'), from('bob')] }), ref('random')),
          rule(from('bob'), terminate),
        ],
      },
      [never(1, behind(0))],
    ],
    [
      'turns that never come',
      {
        transitions: [
          turnCount('<', 1),
          turnCount('==', 2.5),
          turnCount('>', 9),
          turnCount('>=', 10),
          turnCount('<=', 0),
          turnCount('==', 10),
        ].map((when) => rule(when, terminate)),
      },
      [0, 1, 2, 3, 4, 5].map((i) => never(i, 'its condition never holds')),
    ],
    [
      'not the last turn',
      {
        transitions: [
          turnCount('==', 9),
          turnCount('>', 8),
          turnCount('>=', 9),
          turnCount('<=', 1),
          turnCount('!=', 1),
        ].map((when) => rule(when, terminate)),
      },
      [],
    ],
    [
      'a rule behind one that never holds, for its own reason',
      { transitions: [rule(turnCount('<', 1), terminate), rule(turnCount('<', 1), agent('bob'))] },
      [0, 1].map((i) => never(i, 'its condition never holds')),
    ],
    [
      'conditions that contradict themselves',
      {
        transitions: [
          ref('not', { condition: always }),
          ref('all_of', { conditions: [from('alice'), from('bob')] }),
          ref('all_of', { conditions: [from('alice'), ref('all_of', { conditions: [always, from('bob')] })] }),
          ref('all_of', { conditions: [equals('stage', 1), equals('stage', 2)] }),
          ref('all_of', { conditions: [from('bob'), ref('not', { condition: from('bob') })] }),
          ref('not', { condition: ref('any_of', { conditions: [from('bob'), turnCount('>=', 1)] }) }),
          ref('not', { condition: turnCount('<=', 9) }),
        ].map((when) => rule(when, terminate)),
      },
      [0, 1, 2, 3, 4, 5, 6].map((i) => never(i, 'its condition never holds')),
    ],
    [
      'not conditions that may hold',
      {
        transitions: [
          ref('not', { condition: from('bob') }),
          ref('all_of', { conditions: [from('alice'), from('alice')] }),
          ref('all_of', { conditions: [equals('stage', 1), equals('score', 2), equals('stage', 1)] }),
          ref('all_of', { conditions: [from('bob'), ref('not', { condition: from('carol') })] }),
          ref('not', { condition: turnCount('<=', 8) }),
          ref('not', { condition: ref('all_of', { conditions: [always, from('bob')] }) }),
        ].map((when, i) => rule(when, agent(i % 2 === 0 ? 'bob' : 'carol'))),
        default_target: terminate,
      },
      [],
    ],
    [
      'a cycle whose only end has a condition that never holds',
      {
        max_turns: null,
        transitions: [rule(ref('not', { condition: always }), terminate)],
        default_target: ref('round_robin'),
      },
      [never(0, 'its condition never holds'), endless],
    ],
    ['a cycle without end', { ...roundRobin(['alice', 'bob', 'carol']) }, [endless]],
    [
      'a cycle whose only end is never reached',
      { max_turns: null, transitions: [rule(always, ref('round_robin')), rule(from('bob'), terminate)] },
      [never(1, behind(0)), endless],
    ],
    ['a default end that is never reached', { max_turns: null, transitions: [rule(always, ref('stay'))] }, [endless]],
    ['not a default end that is', { max_turns: null, transitions: [rule(from('bob'), ref('stay'))] }, []],
    [
      'not a cycle that a rule ends',
      { max_turns: null, transitions: [rule(from('bob'), terminate)], default_target: ref('round_robin') },
      [],
    ],
    ['not a sequence', { ...sequence(['alice', 'bob', 'carol']) }, []],
    ['not a round robin with a bound', { ...roundRobin(['alice', 'bob'], { maxTurns: 4 }) }, []],
  ])('[TG6] %s', (_case, given, expected) => {
    expect(warned(given)).toEqual(expected);
  });

  it('[TG6] ignores custom parts, including new versions of built-in names', () => {
    const stay2 = { name: 'stay', version: 2, choose: () => null };
    const vocabulary: Vocabulary = {
      conditions: new Map([
        ['always', CONDITIONS[0] as Condition],
        ['from_speaker', CONDITIONS[1] as Condition],
      ]),
      targets: new Map([['stay', stay2]]),
    };
    const graph = graphWith({
      transitions: [rule(always, ref('stay')), rule(from('bob'), ref('stay'))],
      default_target: ref('stay'),
    });
    expect(graphWarnings(graph, vocabulary)).toEqual([]);
    expect(graphWarnings(graph)).toHaveLength(2);
  });

  it('[TG6] never reports a rule that is later chosen', () => {
    fc.assert(
      fc.property(anyGraph, fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }), (graph, words) => {
        const marked = {
          ...graph,
          transitions: graph.transitions.map((one, i) => ({
            ...one,
            then: one.then.name === 'terminate' ? ref('terminate', { reason: `rule ${i}` }) : one.then,
          })),
        };
        const { knobs, warnings = [] } = createdWith(marked);
        const unreachable = warnings.map((warning) => /transitions\.(\d+): it can never/.exec(warning)?.[1]);
        const session = new History(workflow, { knobs });
        for (const word of words) {
          if (session.turn === null) break;
          session.say(session.turn.agent_id.slice(idOf('').length), WORDS[word] ?? '');
        }
        const reason = session.state.pending_close_reason ?? '';
        expect(unreachable.map((i) => `rule ${i}`)).not.toContain(reason);
        if (warnings.includes(endless)) expect(session.state.pending_close_reason).toBeNull();
      }),
      { numRuns: 1000 },
    );
  });
});

describe('factories', () => {
  it('[TG7] repeat the list in roundRobin, skipping inactive agents', () => {
    const graph = roundRobin(['alice', 'carol', 'bob'], { maxTurns: 5 });
    const session = new History(workflow, { knobs: createdWith(graph).knobs });
    const spoke = () => {
      const { turn, metadata } = session;
      const name = metadata.participants.find(({ agent_id }) => agent_id === turn?.agent_id)?.name ?? 'nobody';
      return [name, session.say(name, 'hm').close_reason];
    };
    expect([spoke(), spoke(), spoke()]).toEqual([
      ['alice', undefined],
      ['carol', undefined],
      ['bob', undefined],
    ]);
    session.hub('session.participant.hidden', { agent_id: idOf('carol') });
    expect([spoke(), spoke()]).toEqual([
      ['alice', undefined],
      ['bob', 'max_turns'],
    ]);
  });

  it('[TG7] let each speak once in a sequence, skipping inactive agents', () => {
    const { knobs } = createdWith(sequence(['alice', 'bob', 'carol']));
    const session = new History(workflow, { knobs });
    expect(['alice', 'bob', 'carol'].map((name) => session.say(name, 'step').close_reason)).toEqual([
      undefined,
      undefined,
      'sequence_complete',
    ]);
    const shorter = new History(workflow, { knobs });
    shorter.hub('session.participant.hidden', { agent_id: idOf('bob') });
    expect(['alice', 'carol'].map((name) => shorter.say(name, 'step').close_reason)).toEqual([
      undefined,
      'sequence_complete',
    ]);
    const cut = new History(workflow, { knobs });
    cut.hub('session.participant.removed', { agent_id: idOf('carol') });
    expect(['alice', 'bob'].map((name) => cut.say(name, 'step').close_reason)).toEqual([
      undefined,
      'sequence_complete',
    ]);
  });

  const names = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace'];
  const hide = (session: History<WorkflowState>, name: string) =>
    session.hub('session.participant.hidden', { agent_id: idOf(name) });
  const whoIsOn = ({ turn }: History<WorkflowState>) => turn?.agent_id.slice(idOf('').length);
  const among = (graph: TransitionGraph, participants: number) =>
    new History(workflow, { participants, knobs: { graph } });

  it('[TG7] skip any number of inactive agents in a sequence', () => {
    const session = among(sequence(names.map(idOf)), 7);
    for (const name of ['bob', 'carol', 'dave', 'erin', 'frank']) hide(session, name);
    expect(session.say('alice', 'step')).toEqual({});
    expect(session.say('grace', 'step').close_reason).toBe('sequence_complete');
  });

  it('[TG7] continue a sequence when the holder of the turn is hidden', () => {
    const session = among(sequence(['carol', 'bob', 'alice'].map(idOf)), 3);
    session.say('carol', 'step');
    hide(session, 'bob');
    expect(whoIsOn(session)).toBe('alice');
    expect(session.say('alice', 'step').close_reason).toBe('sequence_complete');
  });

  it('[TG7] restart a sequence when its last agent is hidden during its turn', () => {
    const session = among(sequence(['alice', 'bob', 'carol'].map(idOf)), 3);
    for (const name of ['alice', 'bob']) session.say(name, 'step');
    hide(session, 'carol');
    expect(whoIsOn(session)).toBe('alice');
  });

  it('[TG7] give turns in roundRobin to listed agents while one is active', () => {
    const session = among(roundRobin(['alice', 'bob'].map(idOf)), 3);
    session.say('alice', 'hm');
    hide(session, 'bob');
    expect(whoIsOn(session)).toBe('alice');
    session.say('alice', 'hm');
    expect(whoIsOn(session)).toBe('alice');
    hide(session, 'alice');
    expect(whoIsOn(session)).toBe('carol');
    session.hub('session.participant.returned', { agent_id: idOf('bob') });
    session.say('carol', 'hm');
    expect(whoIsOn(session)).toBe('bob');
  });

  it('[TG7] build graphs of linear size', () => {
    const many = Array.from({ length: 256 }, (_, i) => String(i).padStart(32, '0'));
    for (const graph of [sequence(many), roundRobin(many)]) {
      expect(JSON.stringify(graph).length).toBeLessThan(2 * 256 * 35 + 400);
    }
  });

  it.each<[string, () => unknown, string]>([
    [
      'a slip in the options',
      () => roundRobin(['a'], { max_turns: 3 } as object),
      'roundRobin: unknown option "max_turns"; valid options: maxTurns',
    ],
    [
      'options that are none',
      () => roundRobin(['a'], null as never),
      'roundRobin: expected options {maxTurns}, got null',
    ],
    [
      'a bound in words',
      () => roundRobin(['a'], { maxTurns: '3' as never }),
      'roundRobin: maxTurns must be a whole number ≥ 1, got "3"',
    ],
    ['no list', () => sequence('alice' as never), 'sequence: expected a list of names or ids, got "alice"'],
    ['somebody without a name', () => sequence(['alice', 7 as never]), 'sequence: expected a name or id at 1, got 7'],
  ])('[TG7] reject %s', (_slip, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'bad_value', message }));
  });

  it('[TG7] reject empty lists, duplicates and limits below 1', () => {
    expect(() => sequence([])).toThrow('sequence: expected at least one participant, got none');
    expect(() => roundRobin(['alice', 'bob', 'alice'])).toThrow('roundRobin: "alice" is listed twice');
    expect(() => roundRobin(['alice'], { maxTurns: 0 })).toThrow(
      'roundRobin: maxTurns must be a whole number ≥ 1, got 0',
    );
  });
});

describe('a drawn graph', () => {
  it('[TG8] has an edge for every rule, the default and the turn limit', () => {
    const graph: TransitionGraph = {
      initial_speaker: 'a1',
      transitions: [
        rule(from('a1'), agent('b2')),
        rule(
          ref('all_of', { conditions: [from('b2'), ref('context_compare', { key: 'score', op: '>=', value: 3 })] }),
          terminate,
        ),
        rule(
          ref('any_of', {
            conditions: [ref('text_contains', { any: ['help'] }), ref('tool_called', { tool_name: 'ask' })],
          }),
          ref('revert_to_initiator'),
          2,
        ),
        rule(from('b2'), ref('stay')),
      ],
      default_target: ref('round_robin'),
      max_turns: 20,
    };
    expect(graphToMermaid(graph, { names: { a1: 'alice', b2: 'bob' } })).toBe(
      [
        'flowchart TD',
        '  n0(["start"])',
        '  n1["alice"]',
        '  n2["bob"]',
        '  n3(["end: done"])',
        '  n4["whoever speaks"]',
        '  n5{{"the initiator"}}',
        '  n6{{"the next in order"}}',
        '  n7(["end: max_turns"])',
        '  n0 --> n1',
        '  n1 --> n2',
        '  n2 -->|"score #62;= 3"| n3',
        '  n4 -->|"(says #34;help#34; or calls ask), priority 2"| n5',
        '  n2 --> n2',
        '  n4 -->|"otherwise"| n6',
        '  n4 -->|"after turn 20"| n7',
        '',
      ].join('\n'),
    );
  });

  it('[TG8] handles inherited member names as ids, and shows remaining conditions', () => {
    const both = ref('all_of', { conditions: [from('constructor'), from('bob')] });
    const drawn = graphToMermaid(graphWith({ initial_speaker: 'constructor', transitions: [rule(both, terminate)] }));
    expect(drawn).toContain('  n1["constructor"]\n');
    expect(graphToMermaid(graphWith({ initial_speaker: 'a\\b' }))).toContain('["a#92;b"]');
  });

  it('[TG8] draws a list as a path, or a cycle if it wraps', () => {
    expect(graphToMermaid(sequence(['alice', 'bob', 'carol']))).toBe(
      [
        'flowchart TD',
        '  n0(["start"])',
        '  n1["alice"]',
        '  n2["bob"]',
        '  n3["carol"]',
        '  n4["whoever speaks"]',
        '  n5(["end: sequence_complete"])',
        '  n0 --> n1',
        '  n1 --> n2',
        '  n2 --> n3',
        '  n4 -->|"priority 1"| n5',
        '',
      ].join('\n'),
    );
    expect(
      graphToMermaid(roundRobin(['alice', 'bob']))
        .split('\n')
        .slice(3),
    ).toEqual(['  n2["bob"]', '  n0 --> n1', '  n1 --> n2', '  n2 --> n1', '']);
    const drawnFrom = (name: string) =>
      graphToMermaid(graphWith({ transitions: [rule(from(name), ref('next_in', { agents: ['bob', 'carol'] }))] }));
    expect(drawnFrom('bob')).toContain('n2["bob"]\n  n3["carol"]');
    expect(drawnFrom('bob')).toContain('n2 --> n3');
    expect(drawnFrom('alice')).toContain('n1 --> n2');
  });

  it('[TG8] replaces ids by names everywhere', () => {
    const nested = ref('not', { condition: ref('any_of', { conditions: [from('a1'), ref('mine', { to: ['b2'] })] }) });
    const drawn = graphToMermaid(graphWith({ transitions: [rule(nested, ref('own', { who: 'b2' }))] }), {
      names: { a1: 'alice', b2: 'bob' },
    });
    expect(drawn).toContain('not ((alice speaks or mine #123;#34;to#34;:#91;#34;bob#34;#93;#125;))');
    expect(drawn).toContain('own #123;#34;who#34;:#34;bob#34;#125;');
    expect(drawn).not.toMatch(/a1|b2/);
  });

  it('[TG8, TG1] accepts plain JSON, and rejects invalid graphs by name', () => {
    const drawn = graphToMermaid({
      initial_speaker: 'alice',
      transitions: [{ when: { name: 'not', args: { condition: { name: 'always' } } }, then: { name: 'stay' } }],
    });
    expect(drawn).not.toContain('undefined');
    expect(drawn).toContain('not (always)');
    const message = (graph: unknown) => refusal(() => graphToMermaid(graph as JsonObject)).message;
    expect(message(7)).toMatch(/^graph: expected an object with initial_speaker/);
    expect(message({})).toBe('graph.initial_speaker: expected a participant, got nothing');
    expect(message(graphWith({ transitions: [rule(ref('any_of'), terminate)] }))).toBe(
      'graph.transitions.0.when.args.conditions: expected a list of conditions, got nothing',
    );
  });

  it('[TG8] escapes directives and labels empty names', () => {
    const directive = '%%{init: {"theme": "dark"}}%%';
    const drawn = graphToMermaid(
      graphWith({ transitions: [rule(from(directive), ref('terminate', { reason: directive }))] }),
      { names: { alice: directive } },
    );
    expect(drawn).not.toContain('%');
    expect(drawn).toContain('#37;#37;#123;init: #123;');
    expect(graphToMermaid(graphWith({ initial_speaker: ' ' }), { names: { bob: '' } })).toContain('n1["(no name)"]');
    expect(graphToMermaid(graphWith({ initial_speaker: 'bob' }), { names: { bob: '' } })).toContain('n1["bob"]');
  });

  it('[TG8] escapes texts that would end a label or start a line', () => {
    const nasty = 'x"]\n  evil --> n0 %% <b>#quot;`';
    const drawn = graphToMermaid(graphWith({ transitions: [rule(from(nasty), ref('terminate', { reason: nasty }))] }));
    expect(drawn.split('\n')).toHaveLength(1 + 6 + 3 + 1);
    expect(drawn).not.toContain('evil --> n0\n');
    expect(drawn.match(/"/g)).toHaveLength(2 * 7);
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const nodes = graphToMermaid(graph).split('\n').slice(1, -1);
        for (const line of nodes)
          expect(line).toMatch(/^ {2}n\d+((\[|\(\[|\{\{)"[^"\n]*"(\]|\]\)|\}\})| -->(\|"[^"\n]*"\|)? n\d+)$/);
      }),
      { numRuns: 1000 },
    );
  });
});
