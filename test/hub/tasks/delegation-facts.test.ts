// Outcomes of delegations follow from events, not from reasons that participants state, nor from a store that fails for a while.

import { budgetWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import { HOUR, logOf, opened, releaseHold, SECOND, standing, watch } from '../scene.ts';
import { account, answers, aParent, delegated, delegates, invitedTo, outcomes } from './delegation-scene.ts';

const REASONS = [
  'parent_closed',
  'delegator_removed',
  'invite_rejected',
  'invite_timeout',
  'ttl_expired',
  'expectation_violated:reply_within',
  'expectation_violated:acks_within',
  'expectation_violated:budget_within',
  'prompt_refused: no',
  'creator_removed',
];

describe('a child closed by a participant', () => {
  it.each(REASONS)('[DG7] with the hub’s reason %s is only closed with that reason', async (reason) => {
    const { world, alice, carol, id } = await aParent();
    const call = delegates(alice, id, 'carol');
    await world.settle();
    const session_id = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id }));
    await world.answer(carol.call('close_session', { session_id, reason }));
    expect(await world.answer(call)).toMatchObject({ outcome: 'closed', reason });
  });

  it('[DG7] before it opened, or with the grant `operate`, is closed with that reason too', async () => {
    const { world, alice, bob, dave, id } = await aParent();
    await world.answer(world.hub.grant('bob', ['operate']));
    const first = await delegated(world, alice, id, 'carol');
    const second = await delegated(world, alice, id, 'dave', { prompt: 'And this?' });
    await world.answer(dave.call('ack_invite', { session_id: second.child }));
    await world.answer(alice.call('close_session', { session_id: first.child, reason: 'invite_rejected' }));
    await world.answer(bob.call('close_session', { session_id: second.child, reason: 'ttl_expired' }));
    expect(outcomes(world, id)).toEqual(['closed invite_rejected', 'closed ttl_expired']);
  });

  it('[LC6] records who closed it, and nobody if the hub did', async () => {
    const { world, alice, bob, id } = await aParent();
    const { child } = await delegated(world, alice, id, 'carol');
    await world.answer(bob.call('close_session', { session_id: id, reason: 'enough' }));
    await world.pass(10 * SECOND);
    const ends = (session: string) =>
      logOf(world.store, session)
        .filter(({ event_type }) => event_type.startsWith('session.clos'))
        .map(({ event_data }) => event_data);
    expect(ends(id)).toEqual([{ reason: 'enough', by: bob.agentId }, { reason: 'enough' }]);
    expect(ends(child)).toEqual([{ reason: 'parent_closed' }]);
  });
});

describe('a delegator that unregisters', () => {
  it.each([['before it is answered'], ['while its question waits']])(
    '[DG6] %s is reported as delegator_removed',
    async (when) => {
      const { world, alice, bob, carol, dave } = await aParent();
      const panel = await opened(world, bob, [alice, dave], { type: 'panel' });
      const { child } = await delegated(world, alice, panel, 'carol');
      if (when.startsWith('while')) await world.answer(carol.call('ack_invite', { session_id: child }));
      await world.answer(alice.call('unregister', {}));
      await world.pass(10 * SECOND);
      expect(outcomes(world, panel)).toEqual(['delegator_removed delegator_removed']);
      expect(await standing(world, carol, child)).toContain('CLOSED');
    },
  );

  it.each(['leave_session', 'unregister'] as const)(
    '[DG6] with %s right after the reservation opens no child',
    async (how) => {
      const { world, alice, bob, dave } = await aParent();
      const panel = await opened(world, bob, [alice, dave], { type: 'panel' });
      world.hold = true;
      const call = watch(delegates(alice, panel, 'carol'));
      await world.settle();
      if (how === 'unregister') void alice.ask('unregister', {});
      else void alice.ask('leave_session', { session_id: panel });
      await world.settle();
      await releaseHold(world);
      await world.pass(SECOND);
      expect(outcomes(world, panel)).toEqual(['delegator_removed delegator_removed']);
      if (how === 'leave_session') expect(call).toMatchObject({ value: { outcome: 'delegator_removed' } });
    },
  );
});

describe('a store that fails longer than the retries', () => {
  it('[DG3] before the child exists only delays the delegation', async () => {
    const { world, alice, carol, id } = await aParent({ ttl: 0, expectations: [budgetWithin({ usd: 1 }, 'audit')] });
    const { createdUnder } = world.store;
    world.store.createdUnder = () => Promise.reject(new Error('EIO'));
    const call = watch(delegates(alice, id, 'carol', { budget: { usd: 1 }, timeout: '5m' }));
    await world.settle();
    await world.pass(300 * SECOND);
    expect(call.state).toBe('open');
    world.store.createdUnder = createdUnder;
    await world.pass(31 * SECOND);
    await answers(world, carol, 'It is.');
    expect(call).toMatchObject({ state: 'answered', value: { outcome: 'replied', reply: { text: 'It is.' } } });
    expect(account(world, id)).toHaveLength(2);
    await world.pass(HOUR);
    expect(account(world, id)).toHaveLength(2);
  });

  it('[DG3] after the reply only delays the settlement', async () => {
    const { world, alice, carol, id } = await aParent({ ttl: 0 });
    const call = watch(delegates(alice, id, 'carol'));
    await world.settle();
    const { createdUnder } = world.store;
    const session_id = invitedTo(carol);
    await world.answer(carol.call('ack_invite', { session_id }));
    world.store.createdUnder = () => Promise.reject(new Error('EIO'));
    const said = { session_id, event_type: 'msg.text', event_data: { text: 'It is.' } };
    await world.answer(carol.call('post', said));
    await world.pass(60 * SECOND);
    expect(call.state).toBe('open');
    world.store.createdUnder = createdUnder;
    await world.pass(31 * SECOND);
    expect(call).toMatchObject({ state: 'answered', value: { outcome: 'replied' } });
  });
});
