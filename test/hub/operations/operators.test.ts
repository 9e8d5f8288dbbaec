import { discussion } from 'parley-hub/adapters/discussion';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { ADAPTERS, aPanel, aWorld, logOf, opened, refusal, refused, say, standing, types } from '../scene.ts';

/** A panel, and a non-participant with the grant `operate`. */
async function operated() {
  const scene = await aPanel();
  const olga = await scene.world.peer('olga');
  await scene.world.answer(scene.world.hub.grant('olga', ['operate']));
  return { ...scene, olga };
}

const calls = {
  hide_participant: (by: Peer, session_id: string) => by.call('hide_participant', { session_id, participant: 'bob' }),
  remove_participant: (by: Peer, session_id: string) =>
    by.call('remove_participant', { session_id, participant: 'bob' }),
  return_to_session: (by: Peer, session_id: string) => by.call('return_to_session', { session_id, participant: 'bob' }),
} as const;

describe('operators', () => {
  it('[OPR2] hide and remove in sessions they are not in, with a reason', async () => {
    const { world, alice, bob, olga, id } = await operated();
    await world.answer(olga.call('hide_participant', { session_id: id, participant: 'bob', reason: 'noise' }));
    expect(logOf(world.store, id).at(-1)).toMatchObject({
      event_type: 'session.participant.hidden',
      event_data: { agent_id: bob.agentId, reason: 'noise' },
    });
    await world.answer(olga.call('remove_participant', { session_id: id, participant: bob.agentId }));
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob removed, carol active');
    await refused(world, olga.call('hide_participant', { session_id: id, participant: 'zoe' }), 'not_found');
    // The grant `operate` does not allow reading.
    await refused(world, olga.call('get_session', { session_id: id }), 'not_found');
  });

  it('[OPR2, OPR3] return hidden participants, even in sessions they are not in', async () => {
    const { world, alice, bob, olga, id } = await operated();
    const back = (participant?: string) => olga.call('return_to_session', { session_id: id, participant });
    await world.answer(olga.call('hide_participant', { session_id: id, participant: 'bob' }));
    expect(await world.answer(back('bob'))).toEqual({ state: 'ACTIVE' });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol active');
    const before = logOf(world.store, id);
    expect(before.at(-1)).toMatchObject({
      event_type: 'session.participant.returned',
      event_data: { agent_id: bob.agentId },
    });
    expect(await world.answer(back(bob.agentId))).toEqual({ state: 'ACTIVE' });
    await refused(world, back('zoe'), 'not_found');
    // Without a name it means the caller, which is not in the session.
    await refused(world, back(), 'not_found');
    expect(logOf(world.store, id)).toEqual(before);
  });

  it('[OPR2, LC6] close any session, even one that only its creator may close', async () => {
    const { world, alice, bob, carol, olga } = await operated();
    const id = await opened(world, alice, [bob, carol], { type: 'panel', knobs: { close_by: 'creator' } });
    await refused(world, bob.call('close_session', { session_id: id }), 'forbidden');
    await world.answer(olga.call('close_session', { session_id: id, reason: 'by order' }));
    expect(await standing(world, alice, id)).toContain('(by order)');
  });

  it.each(Object.keys(calls) as (keyof typeof calls)[])('[OPR2, OP2] rejects %s without the grant', async (op) => {
    const { world, alice, olga, id } = await operated();
    const dan = await world.peer('dan');
    const before = logOf(world.store, id);
    await refused(world, calls[op](world.stranger(), id), 'unauthenticated');
    expect(await refusal(world, calls[op](dan, id))).toMatchObject({ code: 'not_found', message: `no session ${id}` });
    await refused(world, calls[op](alice, id), 'forbidden');
    await world.answer(world.hub.grant('dan', ['rules', 'observe', 'enrol', 'approve']));
    await refused(world, calls[op](dan, id), 'not_found');
    await world.answer(world.hub.revoke('olga', ['operate']));
    await refused(world, calls[op](olga, id), 'not_found');
    expect(logOf(world.store, id)).toEqual(before);
  });
});

describe('return_to_session', () => {
  it('[OPR3] returns a hidden participant once, even after a restart', async () => {
    const { world, id } = await operated();
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await world.restart();
    const [bob, alice] = [await world.peer('bob'), await world.peer('alice')];
    await refused(world, say(world, bob, id, 'me'), 'not_your_turn');
    const come = () => bob.call('return_to_session', { session_id: id });
    expect(await world.answer(Promise.all([come(), come()]))).toEqual([{ state: 'ACTIVE' }, { state: 'ACTIVE' }]);
    expect(types(logOf(world.store, id)).filter((type) => type.endsWith('returned'))).toHaveLength(1);
    await say(world, bob, id, 'back');
    expect(alice.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'back' });
  });

  it('[OPR3] is rejected for others, for removed participants, and after the end', async () => {
    const { world, alice, bob, carol, id } = await operated();
    const dan = await world.peer('dan');
    const come = (peer: Peer) => peer.call('return_to_session', { session_id: id });
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await world.answer(world.hub.removeParticipant(id, 'carol'));
    const before = logOf(world.store, id);
    await refused(world, alice.call('return_to_session', { session_id: id, participant: 'bob' }), 'forbidden');
    await refused(world, come(world.stranger()), 'unauthenticated');
    await refused(world, come(dan), 'not_found');
    await refused(world, come(carol), 'protocol_error');
    expect(await world.answer(come(alice))).toEqual({ state: 'ACTIVE' });
    // Its own name means the caller too.
    for (const participant of ['alice', alice.agentId]) {
      const named = alice.call('return_to_session', { session_id: id, participant });
      expect(await world.answer(named)).toEqual({ state: 'ACTIVE' });
    }
    expect(logOf(world.store, id)).toEqual(before);
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    await refused(world, come(bob), 'session_closed');
  });

  it('[OPR3, MB4, MB5] moves the turn, returns it to its place, and skips removed participants', async () => {
    const world = await aWorld({}, { adapters: [...(ADAPTERS ?? []), discussion] });
    const names = ['alice', 'bob', 'carol', 'dave'] as const;
    const [alice, bob, carol, dave] = (await Promise.all(names.map((name) => world.peer(name)))) as [
      Peer,
      Peer,
      Peer,
      Peer,
    ];
    const id = await opened(world, alice, [bob, carol, dave], { type: 'discussion' });
    await world.answer(world.hub.grant('alice', ['operate']));
    const turn = async () => (await world.answer(alice.call('get_session', { session_id: id }))).turn?.agent_id;
    await say(world, alice, id, '1');
    expect(await turn()).toBe(bob.agentId);
    await world.answer(alice.call('hide_participant', { session_id: id, participant: 'bob' }));
    expect(await turn()).toBe(carol.agentId);
    // The new holder receives the envelope that gave it the turn.
    expect(carol.notifies(id).at(-1)).toMatchObject({ turn: { agent_id: carol.agentId } });
    await world.answer(alice.call('remove_participant', { session_id: id, participant: 'carol' }));
    expect(await turn()).toBe(dave.agentId);
    await world.answer(bob.call('return_to_session', { session_id: id }));
    expect(await turn()).toBe(dave.agentId);
    await say(world, dave, id, '2');
    await say(world, alice, id, '3');
    expect(await turn()).toBe(bob.agentId);
    world.hub.evictIdle();
    await say(world, bob, id, '4');
    expect(await turn()).toBe(dave.agentId);
    expect(carol.notifies(id).at(-1)?.envelope.event_type).toBe('session.participant.removed');
    const view = await world.answer(bob.call('read_log', { session_id: id }));
    expect(view.envelopes.map(({ event_type }) => event_type)).toContain('session.participant.removed');
    await refused(world, carol.call('return_to_session', { session_id: id }), 'protocol_error');
  });
});
