import type { RuleChange } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import { DEFAULT_LIMITS } from '../../../src/core/records/access/limits.ts';
import { defaultRule } from '../../../src/core/records/access/rule-schema.ts';
import { aCast, logOf, recordEvents, refusal, refused } from '../scene.ts';

const OPEN = defaultRule(DEFAULT_LIMITS);
describe('a rule', () => {
  it('[RU1] is open until it is set, and then shows what was set and the defaults', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    expect(await world.answer(alice.call('get_rule', {}))).toEqual({
      agent_id: alice.agentId,
      rule: OPEN,
      version: 0,
      last_updated: null,
    });
    const rule = { access: { outbound_to: ['b*', 'bob', 'b**'] }, limits: { delegation_depth: 2 } };
    const set = await world.answer(alice.call('set_rule', { rule, expected_version: 0 }));
    expect(set).toMatchObject({
      version: 1,
      rule: { access: { ...OPEN.access, outbound_to: ['b*'] }, limits: { ...OPEN.limits, delegation_depth: 2 } },
    });
    expect(await world.answer(alice.call('get_rule', { agent: 'alice' }))).toEqual(set);
    await refused(world, alice.call('set_rule', { rule: {}, expected_version: 0 }), 'conflict', { version: 1 });
    await world.restart();
    expect(await world.answer((await world.peer('alice')).call('get_rule', {}))).toEqual(set);
  });

  it('[RU4] can be tightened by its identity, and loosened only with the grant', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    const tighten = { rule: { access: { inbound_from: ['b*'] } } };
    const loosen = { rule: { access: { inbound_from: ['b*', 'carol'] } } };
    await world.answer(alice.call('set_rule', tighten));
    const before = logOf(world.store, REGISTRY_LOG);
    await refused(world, alice.call('set_rule', loosen), 'forbidden', 'rule.access.inbound_from');
    expect(logOf(world.store, REGISTRY_LOG)).toEqual(before);
    await world.answer(world.hub.grant('alice', ['rules']));
    expect(await world.answer(alice.call('set_rule', loosen))).toMatchObject({ version: 2 });
    await world.answer(world.hub.revoke('alice', ['rules']));
    const open = alice.call('set_rule', { rule: { access: { inbound_from: ['*'] } } });
    await refused(world, open, 'forbidden');
  });

  it('[RU4] of another identity requires the grant, and does not reveal who exists', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const tighten = { rule: { limits: { delegation_depth: 0 } } };
    for (const agent of ['bob', bob.agentId, 'nobody']) {
      const answers = [
        await refusal(world, alice.call('get_rule', { agent })),
        await refusal(world, alice.call('set_rule', { agent, ...tighten })),
      ];
      for (const answer of answers)
        expect(answer).toEqual({
          code: 'forbidden',
          message: 'params.agent: the rule of another needs the grant "rules"',
          details: { field: 'params.agent' },
        });
    }
    await world.answer(world.hub.grant('alice', ['operate', 'observe', 'enrol', 'approve']));
    await refused(world, alice.call('get_rule', { agent: 'bob' }), 'forbidden');
    await world.answer(world.hub.grant('alice', ['rules']));
    await refused(world, alice.call('get_rule', { agent: 'nobody' }), 'not_found');
    await world.answer(alice.call('set_rule', { agent: 'bob', ...tighten }));
    expect(await world.answer(bob.call('get_rule', {}))).toMatchObject({
      version: 1,
      rule: { limits: { delegation_depth: 0 } },
    });
  });

  it('[RU4, OP2] requires a binding', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    const stranger = world.stranger();
    await refused(world, stranger.call('get_rule', {}), 'unauthenticated');
    await refused(world, stranger.call('set_rule', { rule: {} }), 'unauthenticated');
    await refused(world, alice.call('set_rule', { rule: {} }, { as: 'bob' }), 'unauthenticated');
  });

  it('[RU5, L1] shows once it is durable, and never if it was lost', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    world.hold = true;
    void alice.call('set_rule', { rule: { limits: { delegation_depth: 1 } } }).catch(() => {});
    void world.hub.grant('alice', ['operate']).catch(() => {});
    await world.settle();
    expect(await world.answer(alice.call('get_rule', {}))).toMatchObject({ version: 0 });
    world.hold = false;
    await world.crash(() => false);
    const again = await world.peer('alice');
    expect(await world.answer(again.call('get_rule', {}))).toMatchObject({ version: 0, rule: OPEN });
    expect(await world.answer(again.call('set_rule', { rule: {} }))).toMatchObject({ version: 1 });
  });

  it('[RU5, AM9] accepts one of two changes with the same expected version', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    const set = (depth: number) =>
      alice.call('set_rule', { rule: { limits: { delegation_depth: depth } }, expected_version: 0 });
    const [first, second] = await world.answer(Promise.allSettled([set(4), set(3)]));
    expect(first).toMatchObject({ status: 'fulfilled', value: { version: 1 } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'conflict', details: { version: 1 } } });
  });

  it('[RU5, EV3] is reported and audited with its version', async () => {
    const { world, alice } = await aCast(['alice', 'bob']);
    const heard = recordEvents(world, 'agentChanged', ({ passport, what, version }) => [passport.name, what, version]);
    await world.answer(alice.call('set_rule', { rule: {} }));
    expect(heard).toEqual([['alice', 'rule', 1]]);
    expect(await world.hub.audit()).toContainEqual(
      expect.objectContaining({ kind: 'agent_changed', detail: { name: 'alice', what: 'rule', version: 1 } }),
    );
  });
});

/** For each field: a value, a tighter one, and a looser one. */
const DIRECTIONS: readonly (readonly [field: string, at: unknown, less: unknown, more: unknown])[] = [
  ['access.inbound_from', ['a*', 'bob'], ['al*'], ['a*', 'bob', 'carol']],
  ['access.outbound_to', ['b?b'], [], ['b*']],
  ['access.session_types.initiate', ['con*'], ['consulting'], ['*']],
  ['access.session_types.accept', ['panel'], [], ['p*']],
  ['limits.max_concurrent_sessions', 5, 0, null],
  ['limits.max_concurrent_tasks', 5, 4, 6],
  ['limits.session_ttl_default', '1h', '30m', '1d'],
  ['limits.session_ttl_default', '1d', 86_399, 0],
  ['limits.task_ttl_default', '10m', '599s', '601s'],
  ['limits.rate', { per_minute: 60, burst: 5 }, { per_minute: 60, burst: 4 }, { per_minute: 61, burst: 4 }],
  ['limits.rate', { per_minute: 60, burst: 5 }, { per_minute: 1, burst: 1 }, null],
  ['limits.delegation_depth', 3, 0, 4],
  ['limits.inbox.max_pending', 100, 1, 101],
  ['limits.inbox.overflow', 'drop_newest', 'reject', 'drop_oldest'],
  ['limits.inbox.high_water', 50, 1, null],
];

describe('every field of a rule', () => {
  const change = (field: string, value: unknown): RuleChange =>
    field.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as RuleChange;

  it('[RU4] is in the table', () => {
    const leaves = (value: object, at: string): readonly string[] =>
      Object.entries(value).flatMap(([key, one]: [string, unknown]) =>
        typeof one === 'object' && one !== null && !Array.isArray(one) ? leaves(one, `${at}${key}.`) : [`${at}${key}`],
      );
    expect([...new Set(DIRECTIONS.map(([field]) => field))]).toEqual(leaves(OPEN, ''));
  });

  it.each(DIRECTIONS)('[RU3, RU4] %s: from %j its identity may set %j, but not %j', async (field, at, less, more) => {
    const { world, alice } = await aCast(['alice', 'bob']);
    const set = (value: unknown) => alice.call('set_rule', { rule: change(field, value) });
    await world.answer(world.hub.grant('alice', ['rules']));
    await world.answer(set(at));
    await world.answer(world.hub.revoke('alice', ['rules']));
    await refused(world, set(more), 'forbidden', `rule.${field}`);
    await world.answer(set(at));
    expect(await world.answer(set(less))).toMatchObject({ version: 3, rule: change(field, less) });
    await refused(world, set(at), 'forbidden');
    await world.answer(world.hub.grant('alice', ['rules']));
    await world.answer(set(more));
  });

  it.each(['30s', '15m', '2h', '1d', '90', 90, 0, '0'])('[RU1, RE9] accepts the duration %j', async (value) => {
    const { world, alice } = await aCast(['alice', 'bob']);
    await world.answer(world.hub.grant('alice', ['rules']));
    const limits = { session_ttl_default: value, task_ttl_default: value };
    expect(await world.answer(alice.call('set_rule', { rule: { limits } }))).toMatchObject({ rule: { limits } });
  });

  it.each(['', '1w', '1h30m', '-1s', '1 h', -1, null, true, ['1h'], {}, '36501d'])(
    '[RU1, RE9] rejects the duration %j and changes nothing',
    async (value) => {
      const { world, alice } = await aCast(['alice', 'bob']);
      for (const field of ['session_ttl_default', 'task_ttl_default']) {
        const params = { rule: { limits: { delegation_depth: 1, [field]: value } } };
        expect(await world.answer(alice.ask('set_rule', params))).toMatchObject({
          ok: false,
          error: { code: 'bad_frame', details: { field: `params.rule.limits.${field}` } },
        });
      }
      expect(await world.answer(alice.call('get_rule', {}))).toMatchObject({ version: 0, rule: OPEN });
    },
  );
});

describe('grants', () => {
  it('[OPR1] are kept, listed once, and reported to events and audit only', async () => {
    const { world, bob } = await aCast(['alice', 'bob']);
    const heard = recordEvents(world, 'agentGranted', ({ passport, grants }) => [passport.name, grants]);
    expect(await world.answer(world.hub.grant('alice', ['rules', 'operate']))).toEqual(['operate', 'rules']);
    expect(await world.answer(world.hub.grant('alice', ['rules']))).toEqual(['operate', 'rules']);
    expect(await world.answer(world.hub.revoke('alice', ['operate', 'approve']))).toEqual(['rules']);
    expect(heard).toEqual([
      ['alice', ['operate', 'rules']],
      ['alice', ['rules']],
    ]);
    for (const op of ['list_agents', 'find_agent'] as const) {
      expect(JSON.stringify(await world.answer(bob.ask(op, {})))).not.toContain('rules');
    }
    expect((await world.hub.audit()).filter(({ kind }) => kind === 'agent_granted')).toHaveLength(2);
    await world.restart();
    expect(await world.answer(world.hub.grant('alice', []))).toEqual(['rules']);
  });

  it.each([
    [() => ['nobody', ['rules']] as const, 'not_found'],
    [() => ['alice', ['everything']] as const, 'bad_frame'],
    [() => ['alice', ['toString']] as const, 'bad_frame'],
    [() => ['alice', 'rules'] as const, 'bad_frame'],
    [() => ['', ['rules']] as const, 'bad_frame'],
  ])('[OPR1] rejects invalid ones (%#)', async (given, code) => {
    const { world } = await aCast(['alice', 'bob']);
    const [agent, grants] = given();
    await refused(world, world.hub.grant(agent, grants as never), code);
  });
});
