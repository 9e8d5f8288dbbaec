import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  foreignUnit,
  HOUR,
  invited,
  leap,
  leave,
  logOf,
  opened,
  refusal,
  refused,
  releaseHold,
  SECOND,
  say,
  sessionOf,
  standing,
  types,
  watch,
} from '../scene.ts';

const add = (peer: Peer, session_id: string, participant: string, role?: string) =>
  peer.call('add_participant', { session_id, participant, role });

const invitesOf = (peer: Peer, id: string) =>
  peer.notifies(id).filter(({ prev_seq, envelope }) => prev_seq === null && envelope.event_type === 'session.invite');

/** alice and bob in a panel with one post; dave is registered. */
async function panelAndDave(
  more: object = {},
): Promise<{ world: World; alice: Peer; bob: Peer; dave: Peer; id: string }> {
  const { world, alice, bob, dave } = await aCast(['alice', 'bob', 'dave']);
  const id = await opened(world, alice, [bob], { type: 'panel', ...more });
  await say(world, alice, id, 'before');
  return { world, alice, bob, dave, id };
}

describe('a participant added to an active session', () => {
  it('[MB2, MB3] is invited immediately, joins with its ack and receives the log from its start', async () => {
    const { world, alice, bob, dave, id } = await panelAndDave();
    expect(await world.answer(add(alice, id, 'dave', 'participant'))).toMatchObject({
      state: 'ACTIVE',
      participant: { agent_id: dave.agentId, name: 'dave', role: 'participant', order: 2, status: 'invited' },
    });
    expect(invitesOf(dave, id)).toMatchObject([
      { turn: null, envelope: { event_data: { name: 'dave', creator_name: 'alice' } } },
    ]);
    // The others do not receive the invite, and dave receives nothing else.
    await say(world, bob, id, 'meanwhile');
    expect(dave.notifies(id)).toHaveLength(1);
    expect(types(alice.notifies(id).map(({ envelope }) => envelope))).not.toContain('session.invite');
    await refused(world, say(world, dave, id, 'too early'), 'protocol_error');
    await refused(world, dave.call('read_log', { session_id: id }), 'forbidden');

    expect(await world.answer(dave.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    const seqs = dave.seqs(id);
    const heard = dave.notifies(id).filter(({ prev_seq }) => prev_seq !== null);
    expect(types(heard.map(({ envelope }) => envelope)).join(' ')).toBe(
      'session.opened msg.text msg.text session.participant.joined',
    );
    expect(heard.map(({ prev_seq }) => prev_seq)).toEqual([0, ...seqs.slice(0, -1)]);
    expect(bob.notifies(id).at(-1)?.envelope).toMatchObject({ event_type: 'session.participant.joined' });
    await say(world, dave, id, 'hello');
    expect(bob.notifies(id).at(-1)?.envelope.event_data).toEqual({ text: 'hello' });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, dave active');
  });

  it('[MB3, DL8] receives its invite at every bind, however late, and after restarts', async () => {
    const { world, alice, bob, dave, id } = await panelAndDave({ ttl: 0 });
    await leave(world, dave);
    await world.answer(add(alice, id, 'dave'));
    for (let i = 0; i < 5; i++) await say(world, bob, id, `more ${i}`);
    await leap(world, 2 * HOUR);
    for (const between of ['nothing', 'evict', 'restart', 'crash'] as const) {
      if (between === 'evict') world.hub.evictIdle();
      if (between === 'restart' || between === 'crash') await world[between]();
      const again = await world.peer('dave');
      expect([between, invitesOf(again, id).length, again.notifies().length]).toEqual([between, 1, 1]);
      await leave(world, again);
    }
    const again = await world.peer('dave');
    await world.answer(again.call('ack_invite', { session_id: id }));
    expect(again.seqs(id)).toHaveLength(8);
    const back = await world.peer('dave');
    expect(invitesOf(back, id)).toEqual([]);
  });

  it('[MB3, L1] receives the invite once if it binds while the invite is written', async () => {
    const { world, alice, dave, id } = await panelAndDave();
    await leave(world, dave);
    world.hold = true;
    const adding = watch(add(alice, id, 'dave'));
    await world.settle();
    const again = world.stranger();
    again.hello('dave');
    await world.settle();
    expect([adding.state, again.notifies()]).toEqual(['open', []]);
    await releaseHold(world);
    expect([adding.state, invitesOf(again, id).length]).toEqual(['answered', 1]);
  });

  it('[MB3] may decline, and be invited again', async () => {
    const { world, alice, dave, id } = await panelAndDave();
    await world.answer(add(alice, id, 'dave'));
    await world.answer(dave.call('reject_invite', { session_id: id, reason: 'busy' }));
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, dave rejected');
    expect(alice.notifies(id).at(-1)?.envelope).toMatchObject({
      event_type: 'session.invite.reject',
      event_data: { reason: 'busy' },
    });
    await leave(world, dave);
    const away = await world.peer('dave');
    expect(away.notifies()).toEqual([]);
    await world.answer(add(alice, id, 'dave'));
    expect(invitesOf(away, id)).toHaveLength(1);
    await world.restart();
    const [again, asker] = [await world.peer('dave'), await world.peer('alice')];
    const newest = logOf(world.store, id)
      .filter(({ event_type }) => event_type === 'session.invite')
      .at(-1);
    expect(invitesOf(again, id).map(({ envelope }) => envelope.seq)).toEqual([newest?.seq]);
    await world.answer(again.call('ack_invite', { session_id: id }));
    expect(await standing(world, asker, id)).toBe('ACTIVE: alice active, bob active, dave active');
    expect((await sessionOf(world, asker, id)).rejected_by).toEqual([]);
  });

  it('[MB3, DL8] receives the end of a session it never joined, immediately or at its next bind', async () => {
    const { world, alice, bob, dave, id } = await panelAndDave();
    const erin = await world.peer('erin');
    for (const name of ['dave', 'erin']) await world.answer(add(alice, id, name));
    await leave(world, erin);
    await world.answer(bob.call('close_session', { session_id: id, wait: 'closed' }));
    expect(types(dave.notifies(id).map(({ envelope }) => envelope))).toEqual(['session.invite', 'session.closed']);
    const back = await world.peer('erin');
    expect(types(back.notifies(id).map(({ envelope }) => envelope))).toEqual(['session.closed']);
    await refused(world, dave.call('ack_invite', { session_id: id }), 'session_closed');
    await refused(world, add(alice, id, 'dave'), 'session_closed');
  });

  it('[MB3, L6] has no invite deadline: nothing happens to the session', async () => {
    const { world, alice, id } = await panelAndDave({ ttl: '1h' });
    await world.answer(add(alice, id, 'dave'));
    await leap(world, 10 * 60 * SECOND);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, dave invited');
    await leap(world, HOUR);
    expect(await standing(world, alice, id)).toBe('EXPIRED (ttl_expired): alice active, bob active, dave invited');
  });

  it('[MB3] finds the session in its lists', async () => {
    const { world, alice, dave, id } = await panelAndDave();
    await opened(world, alice, [dave]);
    await world.answer(add(alice, id, 'dave'));
    const { sessions } = await world.answer(dave.call('list_sessions', { type: 'panel' }));
    expect(sessions.map(({ session_id }) => session_id)).toEqual([id]);
  });
});

describe('a participant added before the session opens', () => {
  it('[MB2, MB3] shares the invite deadline, and its ack counts', async () => {
    const { world, alice, bob, dave } = await aCast(['alice', 'bob', 'dave']);
    const late = await invited(world, alice, [bob], { type: 'panel' });
    const made = await invited(world, alice, [bob], { type: 'panel' });
    await world.pass(20 * SECOND);
    for (const id of [late, made]) await world.answer(add(alice, id, 'dave'));
    await world.answer(dave.call('ack_invite', { session_id: made }));
    expect(types(logOf(world.store, made)).slice(-3).join(' ')).toBe(
      'session.invite.ack session.participant.joined session.opened',
    );
    await world.pass(11 * SECOND);
    expect(await standing(world, alice, late)).toBe('CLOSED (invite_timeout): alice active, bob invited, dave invited');
    expect(await standing(world, alice, made)).toBe('ACTIVE: alice active, bob invited, dave active');
  });
});

describe('add_participant', () => {
  it('[MB2] invites once for a repeat, even a concurrent one', async () => {
    const { world, alice, dave, id } = await panelAndDave();
    const [first, second] = await world.answer(Promise.all([add(alice, id, 'dave'), add(alice, id, dave.agentId)]));
    expect(second).toEqual(first);
    expect(invitesOf(dave, id)).toHaveLength(1);
    await world.answer(dave.call('ack_invite', { session_id: id }));
    expect(await world.answer(add(alice, id, 'dave'))).toMatchObject({ participant: { status: 'active' } });
    expect(types(logOf(world.store, id)).filter((type) => type === 'session.invite')).toHaveLength(2);
  });

  it('[MB2, AM9] adds nobody if another writer has closed the session first', async () => {
    const { world, alice, dave, id } = await panelAndDave();
    const closing = { event_type: 'session.closing', event_data: { reason: 'elsewhere' } };
    world.store.foreignAppend(id, foreignUnit(world, id, closing));
    await refused(world, add(alice, id, 'dave'), 'session_closed');
    expect(dave.notifies(id)).toEqual([]);
  });

  it('[MB2, AM9] uses the next place if another writer has added a participant first', async () => {
    const { world, alice, id } = await panelAndDave();
    const erin = await world.peer('erin');
    const data = { agent_id: erin.agentId, name: 'erin', role: 'participant', order: 2 };
    const invite = { event_type: 'session.invite', audience: [erin.agentId], event_data: data };
    world.store.foreignAppend(id, foreignUnit(world, id, invite));
    expect(await world.answer(add(alice, id, 'dave'))).toMatchObject({ participant: { order: 3 } });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, erin invited, dave invited');
    expect(invitesOf(erin, id)).toHaveLength(1);
  });

  it('[MB2] races with a close: the first decides, and the answer says so', async () => {
    for (const closeFirst of [true, false]) {
      const { world, alice, bob, dave, id } = await panelAndDave();
      world.hold = true;
      const close = () => watch(bob.call('close_session', { session_id: id }));
      const [one, two] = closeFirst
        ? [close(), watch(add(alice, id, 'dave'))]
        : [watch(add(alice, id, 'dave')), close()];
      await world.settle();
      const ack = watch(dave.call('ack_invite', { session_id: id }));
      await world.settle();
      await releaseHold(world);
      expect([one.state, two.state]).toEqual(closeFirst ? ['answered', 'refused'] : ['answered', 'answered']);
      expect(ack).toMatchObject({ state: 'refused', value: { code: closeFirst ? 'not_found' : 'session_closed' } });
      // Only bob’s ack from before.
      expect(types(logOf(world.store, id)).filter((type) => type === 'session.invite.ack')).toHaveLength(1);
    }
  });

  it('[MB2, LC12] removes an invitee that unregisters concurrently, in either order', async () => {
    for (const addFirst of [true, false]) {
      const { world, alice, dave, id } = await panelAndDave();
      world.hold = true;
      const both = addFirst
        ? [watch(add(alice, id, 'dave')), watch(dave.call('unregister', {}))]
        : [watch(dave.call('unregister', {})), watch(add(alice, id, 'dave'))];
      await world.settle();
      await releaseHold(world);
      expect(both.map(({ state }) => state)).toEqual(addFirst ? ['answered', 'answered'] : ['answered', 'refused']);
      const { pending_acks } = await sessionOf(world, alice, id);
      expect(pending_acks).toEqual([]);
      expect(await standing(world, alice, id)).toBe(
        addFirst ? 'ACTIVE: alice active, bob active, dave rejected' : 'ACTIVE: alice active, bob active',
      );
      await refused(world, add(alice, id, 'dave'), 'not_found');
    }
  });

  it('[MB2, LC12] removes an unregistered invitee at the start if a crash kept only the invite', async () => {
    const { world, alice, dave, id } = await panelAndDave();
    await world.answer(add(alice, id, 'dave'));
    await leave(world, dave);
    const gone = foreignUnit(world, 'hub', {
      session_id: 'hub',
      audience: [],
      event_type: 'agent.unregistered',
      event_data: { agent_id: dave.agentId },
    });
    world.store.foreignAppend('hub', gone);
    await world.crash();
    await world.settle();
    const asker = await world.peer('alice');
    expect(await standing(world, asker, id)).toBe('ACTIVE: alice active, bob active, dave rejected');
  });

  it('[MB2, L7] requires the creator, and reveals its names to nobody else', async () => {
    const { world, bob, dave, id } = await panelAndDave();
    for (const name of ['dave', 'nobody', 'alice']) {
      await refused(world, add(bob, id, name), 'forbidden');
      expect(await refusal(world, add(dave, id, name))).toEqual({
        code: 'not_found',
        message: `no session ${id}`,
        details: undefined,
      });
    }
    await refused(world, add(world.stranger(), id, 'dave'), 'unauthenticated');
  });

  it('[MB2] rejects a third participant of a pair', async () => {
    const { world, alice, id } = await aConversation();
    await world.peer('dave');
    expect(await refusal(world, add(alice, id, 'dave'))).toMatchObject({
      code: 'protocol_error',
      message: `session ${id} is full: conversation allows at most 2 participants`,
      details: { max: 2 },
    });
  });

  it('[MB2, LC13] rejects if the adapter is missing', async () => {
    const { world, alice, id } = await panelAndDave();
    const without = await aWorld({}, { adapters: [], store: world.store.crash() });
    const asker = await without.peer('alice');
    expect(asker.agentId).toBe(alice.agentId);
    await refused(without, add(asker, id, 'dave'), 'unavailable', { outcome: 'refused' });
  });

  it('[L3, RC3] loads a session with late invites from a snapshot as from its log', async () => {
    const { world, alice, bob, dave, id } = await panelAndDave();
    await world.answer(add(alice, id, 'dave'));
    for (let i = 0; i < 100; i++) await say(world, bob, id, `${i}`);
    const before = await sessionOf(world, alice, id);
    world.hub.evictIdle();
    expect(await world.hub.checkSnapshot(id)).toBeNull();
    expect(await sessionOf(world, alice, id)).toEqual(before);
    await leave(world, dave);
    expect(invitesOf(await world.peer('dave'), id)).toHaveLength(1);
  });
});

describe('leave_session', () => {
  it('[MB1, MB5, DL12] ends the stream with the own removal, and the others continue', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    expect(await world.answer(bob.call('leave_session', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(bob.notifies(id).at(-1)?.envelope).toMatchObject({
      event_type: 'session.participant.removed',
      event_data: { agent_id: bob.agentId, reason: 'left' },
    });
    const heard = bob.seqs(id).length;
    await say(world, alice, id, 'without bob');
    expect([bob.seqs(id).length, carol.notifies(id).at(-1)?.envelope.event_data]).toEqual([
      heard,
      { text: 'without bob' },
    ]);
    expect(await world.answer(bob.call('leave_session', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    await refused(world, say(world, bob, id, 'still here'), 'forbidden');
    await refused(world, add(alice, id, 'bob'), 'protocol_error');
    const { envelopes } = await world.answer(bob.call('read_log', { session_id: id }));
    expect(envelopes.at(-1)?.event_type).toBe('session.participant.removed');
  });

  it('[MB1, LC12] closes a session of two, even during the own turn', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    expect((await world.answer(alice.call('get_session', { session_id: id }))).turn?.agent_id).toBe(alice.agentId);
    const answer = await world.answer(alice.call('leave_session', { session_id: id }));
    expect(answer).toEqual({ state: 'CLOSING' });
    await world.settle();
    expect(await standing(world, bob, id)).toBe('CLOSED (below_minimum): alice removed, bob active');
    expect(await world.answer(alice.call('leave_session', { session_id: id }))).toEqual({ state: 'CLOSED' });
  });

  it('[MB1] is ordered with an own post as sent', async () => {
    const { world, alice, bob, id } = await aPanel();
    world.hold = true;
    const calls = [
      watch(bob.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'last words' } })),
      watch(bob.call('leave_session', { session_id: id })),
      watch(bob.call('post', { session_id: id, event_type: 'msg.text', event_data: { text: 'too late' } })),
    ];
    await world.settle();
    await releaseHold(world);
    expect(calls.map(({ state }) => state)).toEqual(['answered', 'answered', 'refused']);
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['msg.text', 'session.participant.removed']);
    expect(alice.closed).toBe(false);
  });

  it('[MB1, L7] is not_found for a non-participant, and rejected for an invitee', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    await refused(world, carol.call('leave_session', { session_id: id }), 'not_found');
    const pending = await invited(world, alice, [bob]);
    await refused(world, bob.call('leave_session', { session_id: pending }), 'protocol_error', { status: 'invited' });
    expect(types(logOf(world.store, pending))).toEqual(['session.created', 'session.invite']);
  });
});
