import { describe, expect, it } from 'vitest';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  DAY,
  HOUR,
  invited,
  leap,
  leave,
  lines,
  logOf,
  opened,
  say,
  sessionOf,
  standing,
  types,
} from '../scene.ts';
import { lastLine } from './scene.ts';

describe('orphans', () => {
  async function lasting() {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { ttl: 0, expectations: [] });
    return { world, alice, bob, id };
  }

  it('[LC10] a session without TTL lives while one of its participants is bound', async () => {
    const { world, alice, bob, id } = await lasting();
    expect((await sessionOf(world, alice, id)).expires_at).toBe(null);
    await leave(world, alice);
    await leap(world, 30 * DAY);
    expect(await standing(world, bob, id)).toMatch(/^ACTIVE/);
  });

  it('[LC10, L6] expires 24 h after the last participant left; others do not count', async () => {
    const { world, alice, bob, id } = await lasting();
    await world.peer('carol');
    await leave(world, alice);
    await leap(world, HOUR);
    await leave(world, bob);
    await leap(world, DAY - 1);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, 1);
    expect(lastLine(world, id)).toBe('5 session.expired {"reason":"orphaned"}');
  });

  it('[LC10] a new binding disarms the timer, and its end arms it again', async () => {
    const { world, alice, bob, id } = await lasting();
    await leave(world, alice);
    await leave(world, bob);
    await leap(world, DAY - 1);
    const again = await world.peer('bob');
    await leap(world, 2 * DAY);
    expect(await standing(world, again, id)).toMatch(/^ACTIVE/);
    await leave(world, again);
    await leap(world, DAY - 1);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, 1);
    expect(lastLine(world, id)).toBe('5 session.expired {"reason":"orphaned"}');
  });

  it('[LC10, L9] restarts the 24-hour orphan timer after a restart', async () => {
    const { world, id } = await lasting();
    await world.restart();
    await leap(world, DAY - 1);
    await world.crash();
    await leap(world, DAY - 1);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, 1);
    expect(lastLine(world, id)).toBe('5 session.expired {"reason":"orphaned"}');
  });
});

describe('unregister', () => {
  it('[LC12] declines for a pending invitee', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await world.answer(bob.call('unregister', {}));
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(-2)).toEqual([
      '3 session.invite.reject {"agent_id":"bob","reason":"unregistered"}',
      '4 session.closed {"reason":"invite_rejected"}',
    ]);
  });

  it('[LC12] may put the quorum out of reach after an ack', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 2 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await world.answer(bob.call('unregister', {}));
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(-2)).toEqual([
      '5 session.participant.removed {"agent_id":"bob","reason":"unregistered"}',
      '6 session.closed {"reason":"invite_rejected"}',
    ]);
  });

  it('[LC12] by the creator ends a session that is not open', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await world.answer(alice.call('unregister', {}));
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['session.participant.removed', 'session.closed']);
    expect(bob.notifies(id).at(-1)).toMatchObject({ prev_seq: null, envelope: { event_type: 'session.closed' } });
  });

  it('[LC12] closes with below_minimum in the same unit if too few remain', async () => {
    const { world, alice, bob, id } = await aConversation();
    alice.acks = false;
    await world.answer(bob.call('unregister', {}));
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(-2)).toEqual([
      '5 session.participant.removed {"agent_id":"bob","reason":"unregistered"}',
      '6 session.closing {"reason":"below_minimum"}',
    ]);
    expect(await standing(world, alice, id)).toBe('CLOSING (below_minimum): alice active, bob removed');
  });

  it('[LC12] leaves the session running if enough remain', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await world.answer(alice.call('unregister', {}));
    expect(await standing(world, bob, id)).toBe('ACTIVE: alice removed, bob active, carol active');
    await say(world, bob, id, 'just us');
    expect(carol.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'just us' });
  });

  it('[LC12] closes with no_active_participants if nobody remains', async () => {
    const world = await aWorld();
    const alice = await world.peer('alice');
    const { session } = await world.answer(
      alice.call('create_session', { type: 'monologue', participants: ['alice'] }),
    );
    await world.answer(alice.call('unregister', {}));
    expect(types(logOf(world.store, session.session_id)).slice(2)).toEqual([
      'session.participant.removed',
      'session.closing',
      'session.closed',
    ]);
    expect(lastLine(world, session.session_id)).toContain('no_active_participants');
  });

  it('[LC12, LC7] in CLOSING removes the participant, which is no longer waited for', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    await world.answer(bob.call('unregister', {}));
    expect(types(logOf(world.store, id)).slice(-3)).toEqual([
      'session.closing',
      'session.participant.removed',
      'session.closed',
    ]);
    expect(await standing(world, carol, id)).toMatch(/^CLOSED \(explicit_close\)/);
  });

  it('[LC12] removes the agent from a session that is being created', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    world.hold = true;
    const create = alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' });
    await world.settle();
    const leave = bob.call('unregister', {});
    await world.settle();
    world.hold = false;
    const { session } = await world.answer(create);
    await leave;
    expect(await standing(world, alice, session.session_id)).toBe(
      'CLOSED (invite_rejected): alice active, bob rejected',
    );
  });

  it('[LC12] removes a retired agent from its sessions at the start after a crash', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    world.hold = true;
    void alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' });
    await world.settle();
    void bob.call('unregister', {});
    await world.settle();
    world.hold = false;
    await world.crash(() => true);
    const again = await world.peer('alice');
    const { sessions } = await world.answer(again.call('list_sessions', {}));
    expect(sessions.map(({ state, close_reason }) => [state, close_reason])).toEqual([['CLOSED', 'invite_rejected']]);
  });
});
