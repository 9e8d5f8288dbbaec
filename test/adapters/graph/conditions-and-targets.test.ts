import { CONDITIONS, TARGETS } from 'parley-hub/adapters/transition-graph';
import type { Condition, Destination, JsonObject, Routing, RuleRef, Target } from 'parley-hub/core';
import {
  conditionChecks,
  describeCondition,
  describeTarget,
  type PartCheckOptions,
  targetChecks,
} from 'parley-hub/testing';
import { describe, expect, it } from 'vitest';
import { randomRouting } from '../../../src/testing/rule-part-contract/routings.ts';

const fromAlice: RuleRef = { name: 'from_speaker', args: { agent_id: 'id-alice' } };
const always: RuleRef = { name: 'always', args: {} };

const conditionArgs: Readonly<Record<string, PartCheckOptions>> = {
  always: { args: [{}], badArgs: [{ if: true }] },
  from_speaker: { args: [{ agent_id: 'id-alice' }], badArgs: [{}, { agent_id: 7 }, { agent_id: '' }] },
  tool_called: { args: [{ tool_name: 'search' }], badArgs: [{}, { tool_name: null }, { tool: 'search' }] },
  context_equals: {
    args: [
      { key: 'stage', value: 'done' },
      { key: 'constructor', value: null },
      { key: 'score', value: [0, { inner: 3 }] },
    ],
    badArgs: [{ key: 'stage' }, { value: 1 }, { key: 1, value: 1 }],
  },
  context_compare: {
    args: ['==', '!=', '<', '<=', '>', '>='].map((op) => ({ key: 'score', op, value: 2 })),
    badArgs: [
      { key: 'score', value: 2 },
      { key: 'score', op: '=', value: 2 },
      { op: '<', value: 2 },
    ],
  },
  text_contains: {
    args: [{ any: ['urgent'] }, { any: ['URGENT', 'größe'], case_insensitive: true }],
    badArgs: [{}, { any: [] }, { any: 'urgent' }, { any: [''] }, { any: ['a'], case_insensitive: 1 }],
  },
  turn_count: {
    args: [{ op: '>=', value: 3 }],
    badArgs: [{ op: '>=' }, { op: 'is', value: 3 }, { op: '<', value: '3' }],
  },
  all_of: { args: [{ conditions: [fromAlice, always] }], badArgs: [{}, { conditions: [] }, { conditions: always }] },
  any_of: { args: [{ conditions: [fromAlice, always] }], badArgs: [{}, { conditions: [] }] },
  not: { args: [{ condition: fromAlice }], badArgs: [{}, { condition: [always] }, { condition: 'always' }] },
};

const targetArgs: Readonly<Record<string, PartCheckOptions>> = {
  agent: { args: [{ agent_id: 'id-bob' }], badArgs: [{}, { agent_id: null }, { agent: 'id-bob' }] },
  round_robin: { args: [{}], badArgs: [{ order: [] }] },
  next_in: {
    args: [
      { agents: ['id-carol', 'id-alice', 'id-dave'] },
      { agents: ['id-bob', 'id-alice'], wrap: true },
      { agents: ['id-dave'], wrap: false },
    ],
    badArgs: [
      {},
      { agents: [] },
      { agents: 'id-bob' },
      { agents: [7] },
      { agents: ['id-bob', 'id-bob'] },
      { agents: ['id-bob'], wrap: 1 },
    ],
  },
  stay: { args: [{}], badArgs: [{ for: 2 }] },
  revert_to_initiator: { args: [{}], badArgs: [{ to: 'id-alice' }] },
  terminate: {
    args: [{ reason: 'done' }, { reason: 'x'.repeat(256) }],
    badArgs: [{}, { reason: '' }, { reason: 'x'.repeat(257) }, { reason: 1 }],
  },
  random: { args: [{}], badArgs: [{ seed: 1 }] },
};

for (const condition of CONDITIONS) describeCondition(condition, conditionArgs[condition.name] ?? { args: [] });
for (const target of TARGETS) describeTarget(target, targetArgs[target.name] ?? { args: [] });

/** A post "Yes, URGENT" by alice in a session with bob, carol and the inactive dave. */
function routing(more: Partial<Routing> = {}): Routing {
  const { metadata, envelope } = randomRouting(1);
  return {
    metadata,
    envelope: { ...envelope, sender_id: 'id-alice', event_type: 'msg.text', event_data: { text: 'Yes, URGENT' } },
    order: ['id-alice', 'id-bob', 'id-carol', 'id-dave'],
    active: ['id-alice', 'id-bob', 'id-carol'],
    creator_id: 'id-carol',
    turn_count: 3,
    context_vars: { score: 2, stage: 'draft', list: [1, { a: 1, b: 2 }] },
    ...more,
  };
}

function packet(event_data: JsonObject): Partial<Routing> {
  return { envelope: { ...routing().envelope, event_type: 'msg.packet', event_data } };
}

function holds(name: string, args: JsonObject, more: Partial<Routing> = {}): boolean {
  const all = new Map(CONDITIONS.map((condition) => [condition.name, condition]));
  const at = routing(more);
  const test = (ref: RuleRef): boolean => all.get(ref.name)?.holds(ref.args, at, test) ?? false;
  return test({ name, args });
}

function chosen(name: string, args: JsonObject = {}, more: Partial<Routing> = {}): Destination | null | undefined {
  return TARGETS.find((target) => target.name === name)?.choose(args, routing(more));
}

const speaker = (name: string): Destination => ({ kind: 'speaker', agent_id: `id-${name}` });

describe('the built-in conditions', () => {
  it.each<[string, JsonObject, boolean]>([
    ['always', {}, true],
    ['from_speaker', { agent_id: 'id-alice' }, true],
    ['from_speaker', { agent_id: 'id-bob' }, false],
    ['tool_called', { tool_name: 'search' }, false],
    ['context_equals', { key: 'stage', value: 'draft' }, true],
    ['context_equals', { key: 'stage', value: 'done' }, false],
    ['context_equals', { key: 'list', value: [1, { b: 2, a: 1 }] }, true],
    ['context_equals', { key: 'nothing', value: null }, true],
    ['context_equals', { key: 'toString', value: null }, true],
    ['context_compare', { key: 'score', op: '==', value: 2 }, true],
    ['context_compare', { key: 'score', op: '!=', value: 2 }, false],
    ['context_compare', { key: 'score', op: '<', value: 2 }, false],
    ['context_compare', { key: 'score', op: '<=', value: 2 }, true],
    ['context_compare', { key: 'score', op: '>', value: 1 }, true],
    ['context_compare', { key: 'score', op: '>', value: 2 }, false],
    ['context_compare', { key: 'score', op: '>=', value: 2 }, true],
    ['context_compare', { key: 'score', op: '>=', value: 3 }, false],
    ['context_compare', { key: 'stage', op: '<', value: 'e' }, true],
    ['context_compare', { key: 'stage', op: '>', value: 1 }, false],
    ['context_compare', { key: 'nothing', op: '<', value: 1 }, false],
    ['context_compare', { key: 'nothing', op: '!=', value: 1 }, true],
    ['text_contains', { any: ['no', 'URGENT'] }, true],
    ['text_contains', { any: ['urgent'] }, false],
    ['text_contains', { any: ['urgent'], case_insensitive: true }, true],
    ['turn_count', { op: '==', value: 3 }, true],
    ['turn_count', { op: '<', value: 3 }, false],
    ['all_of', { conditions: [fromAlice, always] }, true],
    ['all_of', { conditions: [always, { name: 'not', args: { condition: fromAlice } }] }, false],
    ['any_of', { conditions: [{ name: 'not', args: { condition: always } }, fromAlice] }, true],
    ['not', { condition: fromAlice }, false],
  ])('[TG3] %s %j: %s', (name, args, expected) => {
    expect(holds(name, args)).toBe(expected);
  });

  it('[TG3] ignores packet members in texts, and text members in packets', () => {
    const { envelope } = routing();
    const text = { envelope: { ...envelope, event_data: { text: 'hi', body: 'urgent', routing: { tool: 'search' } } } };
    expect(holds('tool_called', { tool_name: 'search' }, text)).toBe(false);
    expect(holds('text_contains', { any: ['urgent'] }, text)).toBe(false);
    const packed = packet({ body: 'hi', text: 'urgent' });
    expect(holds('text_contains', { any: ['urgent'] }, packed)).toBe(false);
    expect(holds('text_contains', { any: ['hi'] }, packed)).toBe(true);
  });

  it('[TG3] checks routing.tool, and the body of a packet or its text', () => {
    expect(holds('tool_called', { tool_name: 'search' }, packet({ body: '', routing: { tool: 'search' } }))).toBe(true);
    expect(holds('tool_called', { tool_name: 'search' }, packet({ body: '', routing: { tool: 'find' } }))).toBe(false);
    expect(holds('text_contains', { any: ['now'] }, packet({ body: 'do it now' }))).toBe(true);
    expect(holds('text_contains', { any: ['now'] }, packet({ body: { text: 'do it now' } }))).toBe(true);
    expect(holds('text_contains', { any: ['now'] }, packet({ body: { words: 'now' } }))).toBe(false);
  });
});

describe('the built-in targets', () => {
  it('[TG4] choose an agent, the next active one, the sender, the creator or the end', () => {
    expect(chosen('agent', { agent_id: 'id-dave' })).toEqual(speaker('dave'));
    expect(chosen('round_robin')).toEqual(speaker('bob'));
    expect(chosen('round_robin', {}, { active: ['id-alice', 'id-carol'] })).toEqual(speaker('carol'));
    expect(chosen('round_robin', {}, { active: ['id-alice'] })).toEqual(speaker('alice'));
    expect(chosen('stay')).toEqual(speaker('alice'));
    expect(chosen('revert_to_initiator')).toEqual(speaker('carol'));
    expect(chosen('terminate', { reason: 'enough' })).toEqual({ kind: 'end', reason: 'enough' });
  });

  it('[TG4] choose the next active agent of the list for next_in', () => {
    const agents = ['id-dave', 'id-carol', 'id-alice', 'id-bob'];
    const next = (wrap: boolean, sender: string, active: readonly string[]) =>
      chosen(
        'next_in',
        { agents, wrap },
        { active: active.map((name) => `id-${name}`), envelope: { ...routing().envelope, sender_id: `id-${sender}` } },
      );
    const three = ['alice', 'bob', 'carol'];
    expect(next(false, 'carol', three)).toEqual(speaker('alice'));
    expect(next(false, 'dave', ['dave', 'bob'])).toEqual(speaker('bob'));
    expect(next(false, 'bob', three)).toBeNull();
    expect(next(true, 'bob', three)).toEqual(speaker('carol'));
    expect(next(true, 'bob', ['bob'])).toEqual(speaker('bob'));
    expect(next(true, 'bob', [])).toBeNull();
    expect(next(false, 'erin', three)).toEqual(speaker('carol'));
  });

  it('[TG4, WF7] continue next_in after a hidden or removed agent, else from the beginning', () => {
    const agents = ['id-carol', 'id-bob', 'id-alice'];
    const passed = (event: string, agent_id: string) => ({
      active: ['id-alice', 'id-carol'],
      envelope: { ...routing().envelope, sender_id: 'hub', event_type: `session.${event}`, event_data: { agent_id } },
    });
    expect(chosen('next_in', { agents }, passed('participant.hidden', 'id-bob'))).toEqual(speaker('alice'));
    expect(chosen('next_in', { agents }, passed('participant.removed', 'id-bob'))).toEqual(speaker('alice'));
    expect(chosen('next_in', { agents }, passed('participant.returned', 'id-carol'))).toEqual(speaker('carol'));
    expect(chosen('next_in', { agents }, passed('opened', ''))).toEqual(speaker('carol'));
  });

  it('[TG4] choose a repeatable active agent other than the sender for random', () => {
    const at = (turn_count: number, session_id = '5e55') =>
      chosen('random', {}, { turn_count, metadata: { ...routing().metadata, session_id } });
    const first = Array.from({ length: 40 }, (_, turn) => at(turn));
    expect(first).toEqual(Array.from({ length: 40 }, (_, turn) => at(turn)));
    expect(new Set(first.map((one) => JSON.stringify(one)))).toEqual(
      new Set([speaker('bob'), speaker('carol')].map((one) => JSON.stringify(one))),
    );
    expect(first).not.toEqual(Array.from({ length: 40 }, (_, turn) => at(turn, '5e56')));
    expect(chosen('random', {}, { active: ['id-alice'] })).toEqual(speaker('alice'));
  });

  it('[TG4, WF7] have no result for round_robin and stay when the hub passes a turn on', () => {
    const passed = { envelope: { ...routing().envelope, sender_id: 'hub', event_type: 'session.participant.hidden' } };
    expect([chosen('round_robin', {}, passed), chosen('stay', {}, passed)]).toEqual([null, null]);
  });
});

describe('the contract suites of conditions and targets', () => {
  const failing = (checks: readonly { title: string; run(): void }[]) =>
    checks.filter(({ run }) => {
      try {
        run();
        return false;
      } catch {
        return true;
      }
    });
  const rules = (checks: readonly { title: string; run(): void }[]) => [
    ...new Set(failing(checks).map(({ title }) => title.slice(1, 4))),
  ];
  const sound: Condition = { name: 'sound', version: 1, holds: () => true };
  const home: Target = { name: 'home', version: 1, choose: () => ({ kind: 'speaker', agent_id: 'id-alice' }) };
  let asked = 0;

  it('[RP1] accept correct parts', () => {
    expect(rules(conditionChecks(sound, { args: [{}] }))).toEqual([]);
    expect(rules(targetChecks(home, { args: [{}] }))).toEqual([]);
    expect(() => conditionChecks(sound, { args: [] })).toThrow(
      'options: expected at least one set of arguments in args, got none',
    );
  });

  it.each<[unknown, string]>([
    [undefined, 'options: expected args to be a list of argument objects, such as {args: [{}]}; got nothing'],
    [{ args: {} }, 'options: expected args to be a list of argument objects, such as {args: [{}]}; got {}'],
    [{ args: [7] }, 'options: expected args to be a list of argument objects, such as {args: [{}]}; got [7]'],
    [
      { args: [{}], badArgs: {} },
      'options: expected badArgs to be a list of argument objects, such as {badArgs: [{}]}; got {}',
    ],
  ])('[RP1] reject the options %j with a reason', (options, message) => {
    expect(() => conditionChecks(sound, options as PartCheckOptions)).toThrow(message);
    expect(() => targetChecks(home, options as PartCheckOptions)).toThrow(message);
  });

  it('[RP4] distinguish parts that keep state from parts that change their arguments', () => {
    const titles = (holds: Condition['holds']) =>
      failing(conditionChecks({ ...sound, holds }, { args: [{}] })).map(({ title }) => title);
    let calls = 0;
    expect(titles(() => calls++ % 2 === 0)).toEqual(['[RP4] it gives the same answers again, in any order']);
    // In sloppy mode, writing to a frozen object throws nothing.
    const sloppy = new Function('args', 'routing', 'routing.turn_count = 7; return true;');
    expect(titles((args, routing) => sloppy(args, routing))).toEqual(['[RP4] it does not change its arguments']);
  });

  it.each<[string, string, Partial<Condition>, PartCheckOptions?]>([
    ['RP1', 'has version 0', { version: 0 }],
    ['RP1', 'declares an unknown argument', { agents: ['who'] }],
    ['RP2', 'accepts invalid arguments', {}, { args: [{}], badArgs: [{ x: 1 }] }],
    ['RP2', 'rejects valid arguments', { checkArgs: () => ({ field: 'x', expected: 'y', received: 'z' }) }],
    ['RP3', 'answers with a text', { holds: () => 'yes' as unknown as boolean }],
    ['RP3', 'throws on packets', { holds: (_args, { envelope }) => envelope.event_type !== 'msg.packet' || fail() }],
    [
      'RP4',
      'sorts the active agents in place',
      { holds: (_args, { active }) => (active as string[]).reverse().length > 0 },
    ],
    ['RP4', 'keeps state', { holds: () => asked++ > 300 }],
    ['RP5', 'uses randomness', { holds: () => Math.random() < 2 }],
  ])('[RP1, RP2, RP3, RP4, RP5] %s: find a condition that %s', (rule, _fault, change, options = { args: [{}] }) => {
    expect(rules(conditionChecks({ ...sound, ...change }, options))).toContain(rule);
  });

  it.each<[string, string, Partial<Target>]>([
    ['RP3', 'names a non-participant', { choose: () => ({ kind: 'speaker', agent_id: 'id-nobody' }) }],
    ['RP3', 'ends without a reason', { choose: () => ({ kind: 'end', reason: '' }) }],
    ['RP3', 'gives undefined', { choose: () => undefined as unknown as null }],
    ['RP5', 'uses the clock', { choose: () => (Date.now() > 0 ? null : null) }],
  ])('[RP3, RP5] %s: find a target that %s', (rule, _fault, change) => {
    expect(rules(targetChecks({ ...home, ...change }, { args: [{}] }))).toContain(rule);
  });

  function fail(): never {
    throw new Error('not today');
  }
});
