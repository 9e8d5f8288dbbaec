// Budgets: each delegation reserves a part of the session's budget, and the unspent rest returns.

import type { ExpectationEntry, JsonObject, Params } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { World } from '../../../src/testing/doubles/world.ts';
import { logOf, opened, refused, releaseHold, SECOND, say, standing, types, watch } from '../scene.ts';
import { accounts, answers, aParent, delegated, delegates, invitedTo } from './delegation-scene.ts';

function within(params: JsonObject, on_violation = 'notify_session', more: Partial<ExpectationEntry> = {}) {
  return { name: 'budget_within', on_violation, params, ...more };
}

function withBudget(params: JsonObject, on_violation?: string): Partial<Params<'create_session'>> {
  return { expectations: [within(params, on_violation)] };
}

const cost = (cost_usd: number, output = 0) => ({ cost_usd, usage: { output } });

/** Expects a refusal that names the rest of the budget. */
async function expectLeft(world: World, call: Promise<unknown>, usd: number | null, tokens: number | null) {
  const { details } = await refused(world, call, 'invalid_create');
  expect(details?.left).toEqual({ usd, tokens });
}

describe('a session with a budget', () => {
  it('[DG4] reserves a part for each delegation, which must name one', async () => {
    const { world, alice, id } = await aParent(withBudget({ usd: 1, tokens: 1000 }));
    await expectLeft(world, delegates(alice, id, 'carol'), 1, 1000);
    await expectLeft(world, delegates(alice, id, 'carol', { budget: { usd: 0.1 } }), 1, 1000);
    await delegated(world, alice, id, 'carol', { budget: { usd: 0.1, tokens: 400 } });
    await delegated(world, alice, id, 'dave', { budget: { usd: 0.2, tokens: 400 } });
    const over = delegates(alice, id, 'carol', { budget: { usd: 0.71, tokens: 100 } });
    await expectLeft(world, over, 0.7, 200);
    await delegated(world, alice, id, 'carol', { budget: { usd: 0.7, tokens: 200 } });
    await expectLeft(world, delegates(alice, id, 'dave', { budget: { usd: 0.01, tokens: 1 } }), 0, 0);
  });

  it('[DG4] counts dollars in billionths, exactly, and grants nothing beyond the rest', async () => {
    const { world, alice, id } = await aParent(withBudget({ usd: 0.3 }));
    await delegated(world, alice, id, 'carol', { budget: { usd: 0.1 + 0.2 } });
    expect(accounts(world, id)[0]?.event_data.budget).toEqual({ usd: 0.3, tokens: null });
    await expectLeft(world, delegates(alice, id, 'dave', { budget: { usd: 1e-10 } }), 0, null);
  });

  it('[DG4] rounds a part of a billionth up', async () => {
    const { world, alice, id } = await aParent(withBudget({ usd: 1 }));
    await delegated(world, alice, id, 'carol', { budget: { usd: 0.9999999994 } });
    await expectLeft(world, delegates(alice, id, 'dave', { budget: { usd: 2e-9 } }), 1e-9, null);
    await delegated(world, alice, id, 'dave', { budget: { usd: 1e-10 } });
    await expectLeft(world, delegates(alice, id, 'dave', { budget: { usd: 1e-10 } }), 0, null);
  });

  it('[DG4] rounds the rest down to whole billionths', async () => {
    const { world, alice, id } = await aParent(withBudget({ usd: 0.9999999996 }));
    await expectLeft(world, delegates(alice, id, 'dave', { budget: { usd: 1 } }), 0.999999999, null);
  });

  it('[DG4] counts very many tokens exactly', async () => {
    const tokens = 999_999_999_999_999;
    const { world, alice, id } = await aParent(withBudget({ tokens }));
    await delegated(world, alice, id, 'carol', { budget: { tokens: 1 } });
    await expectLeft(world, delegates(alice, id, 'dave', { budget: { tokens } }), null, tokens - 1);
  });

  it('[DG4] counts what was spent in it, and the tightest of its budgets', async () => {
    const expectations = [within({ usd: 9 }), within({ usd: 2 }), within({ tokens: 50 })];
    const { world, alice, id } = await aParent({ expectations });
    await say(world, alice, id, 'dear', { event_data: { text: 'dear', ...cost(1.5, 20) } });
    await expectLeft(world, delegates(alice, id, 'carol'), 0.5, 30);
    await say(world, alice, id, 'dearer', { event_data: { text: 'dearer', ...cost(1, 100) } });
    await expectLeft(world, delegates(alice, id, 'carol'), 0, 0);
  });

  it('[DG4] applies to some of its participants only', async () => {
    const expectations = [within({ usd: 1 }, 'audit', { applies_to: ['initiator'] })];
    const { world, alice, bob, id } = await aParent({ expectations });
    expect((await delegated(world, bob, id, 'dave')).outcome).toBe('open');
    await expectLeft(world, delegates(alice, id, 'carol'), 1, null);
  });

  it('[DG4] has the rest of its tightest budget, less the reservations of those it applies to', async () => {
    const forBob = within({ usd: 5 }, 'audit', { applies_to: ['respondent'] });
    const expectations = [within({ usd: 2 }, 'audit', { applies_to: ['initiator'] }), within({ usd: 9 }), forBob];
    const { world, alice, bob, id } = await aParent({ expectations });
    await delegated(world, bob, id, 'dave', { budget: { usd: 4 } });
    await expectLeft(world, delegates(alice, id, 'carol'), 2, null);
    await delegated(world, alice, id, 'carol', { budget: { usd: 1.5 } });
    await expectLeft(world, delegates(alice, id, 'carol'), 0.5, null);
  });

  it('[DG4] reserves no more than there is for two concurrent delegations', async () => {
    const { world, alice, bob, id } = await aParent(withBudget({ usd: 1 }));
    world.hold = true;
    const budget = { usd: 0.6 };
    const calls = [
      watch(delegates(alice, id, 'carol', { budget, wait: 'opened' })),
      watch(delegates(bob, id, 'dave', { budget, wait: 'opened' })),
    ];
    await world.settle();
    await releaseHold(world);
    expect(calls.map(({ state }) => state)).toEqual(['answered', 'refused']);
    expect(calls[1]?.value).toMatchObject({ details: { left: { usd: 0.4 } } });
  });

  it('[DG4] gets back what a delegation did not spend', async () => {
    const { world, alice, carol, id } = await aParent(withBudget({ usd: 1 }));
    const call = delegates(alice, id, 'carol', { budget: { usd: 0.6 } });
    await world.settle();
    await answers(world, carol, 'Yes.', cost(0.25, 7));
    expect((await world.answer(call)).spent).toEqual({ usd: 0.25, tokens: 7, unpriced: 0 });
    await expectLeft(world, delegates(alice, id, 'carol'), 0.75, null);
  });

  it('[DG4] charges a reply that cost more in full, and is never below zero', async () => {
    const { world, alice, carol, id } = await aParent(withBudget({ usd: 1 }));
    const call = delegates(alice, id, 'carol', { budget: { usd: 0.5 } });
    await world.settle();
    await answers(world, carol, 'Yes.', cost(3));
    expect(await world.answer(call)).toMatchObject({ outcome: 'replied', spent: { usd: 3 } });
    await expectLeft(world, delegates(alice, id, 'carol', { budget: { usd: 0.1 } }), 0, null);
    const violated = logOf(world.store, id).filter(({ event_type }) => event_type === 'expectation.violated');
    expect(violated).toMatchObject([
      { event_data: { name: 'budget_within', violators: [{ agent_id: alice.agentId }] } },
    ]);
  });

  it('[DG4] closes in the unit of a settlement that exceeds it, and settles the others there', async () => {
    const { world, alice, carol, id } = await aParent(withBudget({ usd: 1 }, 'auto_close'));
    const calls = [
      delegates(alice, id, 'carol', { budget: { usd: 0.5 } }),
      delegates(alice, id, 'dave', { budget: { usd: 0.5 } }),
    ];
    await world.settle();
    await answers(world, carol, 'Yes.', cost(3));
    expect(await Promise.all(calls)).toMatchObject([
      { outcome: 'replied', spent: { usd: 3 } },
      { outcome: 'parent_closed', reason: 'expectation_violated:budget_within', spent: null },
    ]);
    const log = types(logOf(world.store, id));
    expect(log.slice(log.indexOf('delegation.settled'))).toEqual([
      'delegation.settled',
      'expectation.violated',
      'delegation.settled',
      'session.closing',
      'session.closed',
    ]);
  });

  it('[DG4] gets everything back from a delegation without a result', async () => {
    const { world, alice, carol, id } = await aParent(withBudget({ usd: 1 }));
    const call = delegates(alice, id, 'carol', { budget: { usd: 1 } });
    await world.settle();
    await world.answer(carol.call('reject_invite', { session_id: invitedTo(carol) }));
    expect((await world.answer(call)).spent).toEqual({ usd: 0, tokens: 0, unpriced: 0 });
    expect((await delegated(world, alice, id, 'carol', { budget: { usd: 1 } })).outcome).toBe('open');
  });

  it('[DG4] ends a child that exceeds its part as over_budget', async () => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol', { budget: { tokens: 10 } });
    await world.settle();
    const session_id = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id }));
    const note = { session_id, event_type: 'tool.result', event_data: { usage: { output: 11 } } };
    await world.answer(carol.call('post', note));
    expect(await world.answer(call)).toMatchObject({
      outcome: 'over_budget',
      reason: 'expectation_violated:budget_within',
      spent: { usd: 0, tokens: 11, unpriced: 1 },
    });
  });
});

describe('a tree of delegations', () => {
  it('[DG4] charges the spending of grandchildren at the top, and a child divides its part', async () => {
    const { world, alice, carol, dave, id } = await aParent(withBudget({ usd: 1 }));
    const top = delegates(alice, id, 'carol', { budget: { usd: 0.8 } });
    await world.settle();
    const child = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id: child }));
    await expectLeft(world, delegates(carol, child, 'dave', { budget: { usd: 0.9 } }), 0.8, null);
    const below = delegates(carol, child, 'dave', { budget: { usd: 0.5 } });
    await world.settle();
    await answers(world, dave, 'Done.', cost(0.3));
    expect((await world.answer(below)).spent).toMatchObject({ usd: 0.3 });
    await world.answer(
      carol.call('post', { session_id: child, event_type: 'msg.text', event_data: { text: 'Yes.', ...cost(0.1) } }),
    );
    expect((await world.answer(top)).spent).toEqual({ usd: 0.4, tokens: 0, unpriced: 0 });
    await expectLeft(world, delegates(alice, id, 'carol'), 0.6, null);
  });

  it('[DG4, DG5] charges the reservation where the spending is unknown', async () => {
    const { world, alice, carol, id } = await aParent(withBudget({ usd: 1 }));
    const top = delegates(alice, id, 'carol', { budget: { usd: 0.8 } });
    await world.settle();
    const child = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id: child }));
    await delegated(world, carol, child, 'dave', { budget: { usd: 0.5 } });
    await world.answer(
      carol.call('post', { session_id: child, event_type: 'msg.text', event_data: { text: 'Yes.', ...cost(0.1) } }),
    );
    expect((await world.answer(top)).spent).toEqual({ usd: 0.6, tokens: 0, unpriced: 1 });
    expect(accounts(world, child).at(-1)).toMatchObject({ event_data: { outcome: 'parent_closed', spent: null } });
  });

  it('[DG5] ends from top to bottom', async () => {
    const { world, alice, bob, carol, dave, id } = await aParent();
    await delegated(world, alice, id, 'carol');
    const child = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id: child }));
    const { child: grandchild } = await delegated(world, carol, child, 'dave');
    await world.answer(dave.call('ack_invite', { session_id: grandchild }));
    await world.answer(bob.call('close_session', { session_id: id }));
    await world.pass(6 * SECOND);
    expect(await standing(world, carol, child)).toContain('CLOSED (parent_closed)');
    expect(await standing(world, dave, grandchild)).toContain('CLOSED (parent_closed)');
    for (const session of [id, child]) expect(accounts(world, session)).toHaveLength(2);
  });

  it('[DG8] is as deep as the rule allows, with depths stamped by the hub', async () => {
    const { world, alice, bob, carol } = await aParent();
    const erin = await world.peer('erin');
    const peers = [carol, erin, bob];
    let session = await opened(world, alice, [bob]);
    const depths: number[] = [];
    for (const [i, [from, to]] of (
      [
        [alice, 'carol'],
        [carol, 'erin'],
        [erin, 'bob'],
      ] as const
    ).entries()) {
      const { child } = await delegated(world, from, session, to);
      const target = peers[i];
      await world.answer(target?.call('ack_invite', { session_id: child }) ?? Promise.reject(new Error('nobody')));
      depths.push(logOf(world.store, child)[0]?.depth ?? -1);
      session = child;
    }
    expect(depths).toEqual([1, 2, 3]);
  });
});
