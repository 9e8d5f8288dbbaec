import { describe, expect, it } from 'vitest';
import { HubError } from '../../../src/core/lib/errors.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  invited,
  logOf,
  refused,
  releaseHold,
  say,
  sessionOf,
  standing,
  types,
  watch,
} from '../scene.ts';

describe('hideParticipant', () => {
  it('[MB4] silences a participant that keeps reading, until it returns to its place', async () => {
    const { world, alice, bob, id } = await aPanel();
    expect(await world.answer(world.hub.hideParticipant(id, 'bob', 'too slow'))).toEqual({ state: 'ACTIVE' });
    const hidden = logOf(world.store, id).at(-1);
    expect(hidden).toMatchObject({
      sender_id: 'hub',
      audience: null,
      event_type: 'session.participant.hidden',
      event_data: { agent_id: bob.agentId, reason: 'too slow' },
    });
    await refused(world, say(world, bob, id, 'hello?'), 'not_your_turn', { turn_passed_at_seq: hidden?.seq });
    await say(world, alice, id, 'go on');
    expect(bob.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'go on' });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob hidden, carol active');

    expect(await world.answer(world.hub.returnParticipant(id, bob.agentId))).toEqual({ state: 'ACTIVE' });
    await say(world, bob, id, 'back');
    expect((await sessionOf(world, alice, id)).participants.map(({ name, order }) => [name, order])).toEqual([
      ['alice', 0],
      ['bob', 1],
      ['carol', 2],
    ]);
  });

  it('[MB4] changes only the status in a pair, and survives a restart', async () => {
    const { world, id } = await aConversation();
    await world.answer(world.hub.hideParticipant(id, 'bob'));
    await world.restart();
    const alice = await world.peer('alice');
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob hidden');
    await world.answer(world.hub.returnParticipant(id, 'bob'));
    await say(world, await world.peer('bob'), id, 'back');
  });

  it('[MB4] appends nothing for a repeat, even a concurrent one', async () => {
    const { world, id } = await aPanel();
    await world.answer(Promise.all([world.hub.hideParticipant(id, 'bob'), world.hub.hideParticipant(id, 'bob')]));
    await world.answer(Promise.all([world.hub.returnParticipant(id, 'bob'), world.hub.returnParticipant(id, 'bob')]));
    expect(types(logOf(world.store, id)).slice(-2)).toEqual([
      'session.participant.hidden',
      'session.participant.returned',
    ]);
    expect(types(logOf(world.store, id)).filter((type) => type.startsWith('session.participant'))).toHaveLength(2);
  });

  it('[MB4, MB5] rejects invalid calls by code and leaves the log unchanged', async () => {
    const { world, alice, bob, id } = await aConversation();
    const pending = await invited(world, alice, [bob]);
    const logs = [logOf(world.store, id), logOf(world.store, pending)];
    const nowhere = 'e'.repeat(32);
    for (const [call, code] of [
      [() => world.hub.hideParticipant(nowhere, 'bob'), 'not_found'],
      [() => world.hub.hideParticipant(id, 'carol'), 'not_found'],
      [() => world.hub.removeParticipant(id, 'carol'), 'not_found'],
      [() => world.hub.returnParticipant(nowhere, 'bob'), 'not_found'],
      [() => world.hub.hideParticipant(pending, 'alice'), 'protocol_error'],
      [() => world.hub.returnParticipant(pending, 'bob'), 'protocol_error'],
      [() => world.hub.hideParticipant('nonsense', 'bob'), 'bad_frame'],
      [() => world.hub.hideParticipant(id, ''), 'bad_frame'],
      [() => world.hub.hideParticipant(id, 'bob', 'x'.repeat(257)), 'bad_frame'],
      [() => world.hub.removeParticipant(id, 'bob', ''), 'bad_frame'],
      [() => world.hub.removeParticipant(id, 'bob', 7 as never), 'bad_frame'],
    ] as const) {
      await refused(world, call(), code);
    }
    expect([logOf(world.store, id), logOf(world.store, pending)]).toEqual(logs);
    await world.answer(world.hub.removeParticipant(id, 'bob'));
    await world.pass(1000);
    await refused(world, world.hub.hideParticipant(id, 'alice'), 'session_closed');
    await refused(world, world.hub.returnParticipant(id, 'bob'), 'session_closed');
    await world.hub.stop();
    await expect(world.hub.hideParticipant(id, 'alice')).rejects.toThrow(HubError);
  });

  it('[MB4, LC13] does not change a session without its adapter; a removal does', async () => {
    const { world, id } = await aPanel();
    const without = await aWorld({}, { adapters: [], store: world.store.crash() });
    await refused(without, without.hub.hideParticipant(id, 'bob'), 'unavailable');
    // A no-op needs no adapter.
    expect(await without.answer(without.hub.returnParticipant(id, 'bob'))).toEqual({ state: 'ACTIVE' });
    expect(await without.answer(without.hub.removeParticipant(id, 'bob'))).toEqual({ state: 'ACTIVE' });
  });
});

describe('removeParticipant', () => {
  it('[MB5, DL12] is permanent: a removed participant receives its removal and nothing later', async () => {
    const { world, alice, bob, id } = await aPanel();
    const reason = 'rude'.padEnd(256, '!');
    expect(await world.answer(world.hub.removeParticipant(id, 'bob', reason))).toEqual({ state: 'ACTIVE' });
    await say(world, alice, id, 'quiet now');
    expect(bob.notifies(id).at(-1)?.envelope).toMatchObject({
      event_type: 'session.participant.removed',
      event_data: { agent_id: bob.agentId, reason },
    });
    expect(await world.answer(world.hub.removeParticipant(id, bob.agentId))).toEqual({ state: 'ACTIVE' });
    await refused(world, world.hub.returnParticipant(id, 'bob'), 'protocol_error');
    expect(types(logOf(world.store, id)).filter((type) => type === 'session.participant.removed')).toHaveLength(1);
  });

  it('[MB5, LC4] declines the invite of an invitee', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob]);
    expect(await world.answer(world.hub.removeParticipant(id, 'bob'))).toEqual({ state: 'CLOSED' });
    expect(await standing(world, alice, id)).toBe('CLOSED (invite_rejected): alice active, bob rejected');
  });

  it('[MB4, MB5, L1] answers once the change is durable', async () => {
    const { world, alice, id } = await aPanel();
    world.hold = true;
    const calls = [
      watch(world.hub.hideParticipant(id, 'bob')),
      watch(world.hub.returnParticipant(id, 'bob')),
      watch(world.hub.removeParticipant(id, 'bob')),
    ];
    await world.settle();
    expect(calls.map(({ state }) => state)).toEqual(['open', 'open', 'open']);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol active');
    await releaseHold(world);
    expect(calls.map(({ state }) => state)).toEqual(['answered', 'answered', 'answered']);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob removed, carol active');
  });
});
