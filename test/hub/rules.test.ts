import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { openRule } from '../../src/core/rule.ts';
import { REGISTRY_LOG } from '../../src/core/store.ts';
import { aWorld, leave, logOf, refusal } from './scene.ts';

const OPEN = openRule(DEFAULT_LIMITS);

async function aPair() {
  const world = await aWorld();
  return { world, alice: await world.peer('alice'), bob: await world.peer('bob') };
}

describe('a rule', () => {
  it('[RU1] is open until it is set, and then says what it was told and the rest', async () => {
    const { world, alice } = await aPair();
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
    expect(await refusal(world, alice.call('set_rule', { rule: {}, expected_version: 0 }))).toMatchObject({
      code: 'conflict',
      details: { version: 1 },
    });
    await world.restart();
    expect(await world.answer((await world.peer('alice')).call('get_rule', {}))).toEqual(set);
  });

  it('[RU4] may be tightened by its own, and loosened only with the grant', async () => {
    const { world, alice } = await aPair();
    const tighten = { rule: { access: { inbound_from: ['b*'] } } };
    const loosen = { rule: { access: { inbound_from: ['b*', 'carol'] } } };
    await world.answer(alice.call('set_rule', tighten));
    const before = logOf(world.store, REGISTRY_LOG);
    expect(await refusal(world, alice.call('set_rule', loosen))).toMatchObject({
      code: 'forbidden',
      details: { field: 'rule.access.inbound_from' },
    });
    expect(logOf(world.store, REGISTRY_LOG)).toEqual(before);
    await world.answer(world.hub.grant('alice', ['rules']));
    expect(await world.answer(alice.call('set_rule', loosen))).toMatchObject({ version: 2 });
    await world.answer(world.hub.revoke('alice', ['rules']));
    expect((await refusal(world, alice.call('set_rule', { rule: { access: { inbound_from: ['*'] } } }))).code).toBe(
      'forbidden',
    );
  });

  it('[RU4] of another is neither read nor set without the grant, and nobody learns who there is', async () => {
    const { world, alice, bob } = await aPair();
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
    expect((await refusal(world, alice.call('get_rule', { agent: 'bob' }))).code).toBe('forbidden');
    await world.answer(world.hub.grant('alice', ['rules']));
    expect((await refusal(world, alice.call('get_rule', { agent: 'nobody' }))).code).toBe('not_found');
    await world.answer(alice.call('set_rule', { agent: 'bob', ...tighten }));
    expect(await world.answer(bob.call('get_rule', {}))).toMatchObject({
      version: 1,
      rule: { limits: { delegation_depth: 0 } },
    });
  });

  it('[RU4, OP2] is nothing for who is not bound, or no longer', async () => {
    const { world, alice } = await aPair();
    const stranger = world.stranger();
    expect((await refusal(world, stranger.call('get_rule', {}))).code).toBe('unauthenticated');
    expect((await refusal(world, stranger.call('set_rule', { rule: {} }))).code).toBe('unauthenticated');
    expect((await refusal(world, alice.call('set_rule', { rule: {} }, { as: 'bob' }))).code).toBe('unauthenticated');
    await leave(world, alice);
  });

  it('[RU5, L1] is not shown before it is durable, and gone if it never is', async () => {
    const { world, alice } = await aPair();
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

  it('[RU5, AM9] of two that expect the same version one is taken', async () => {
    const { world, alice } = await aPair();
    const set = (depth: number) =>
      alice.call('set_rule', { rule: { limits: { delegation_depth: depth } }, expected_version: 0 });
    const [first, second] = await world.answer(Promise.allSettled([set(4), set(3)]));
    expect(first).toMatchObject({ status: 'fulfilled', value: { version: 1 } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'conflict', details: { version: 1 } } });
  });

  it('[RU5, EV3] is announced and audited by its version', async () => {
    const { world, alice } = await aPair();
    const heard: unknown[] = [];
    world.hub.on('agentChanged', ({ passport, what, version }) => heard.push([passport.name, what, version]));
    await world.answer(alice.call('set_rule', { rule: {} }));
    expect(heard).toEqual([['alice', 'rule', 1]]);
    expect(await world.hub.audit()).toContainEqual(
      expect.objectContaining({ kind: 'agent_changed', detail: { name: 'alice', what: 'rule', version: 1 } }),
    );
  });
});

describe('grants', () => {
  it('[OPR1] are kept, listed once, and told to the taps and the audit alone', async () => {
    const { world, bob } = await aPair();
    const heard: unknown[] = [];
    world.hub.on('agentGranted', ({ passport, grants }) => heard.push([passport.name, grants]));
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
  ])('[OPR1] say what is wrong with them (%#)', async (given, code) => {
    const { world } = await aPair();
    const [agent, grants] = given();
    expect((await refusal(world, world.hub.grant(agent, grants as never))).code).toBe(code);
  });
});
