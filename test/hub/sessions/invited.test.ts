import { describe, expect, it } from 'vitest';
import {
  aCast,
  aConversation,
  invited,
  lines,
  logOf,
  MINUTE,
  refusal,
  refused,
  releaseHold,
  SECOND,
  say,
  sessionOf,
  standing,
  types,
} from '../scene.ts';
import { lastLine } from './scene.ts';

describe('INVITED', () => {
  it('[LC3] the ack that completes the quorum opens the session in the same unit', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    expect(await world.answer(bob.call('ack_invite', { session_id: id }))).toEqual({ state: 'INVITED' });
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob active, carol invited');
    world.hold = true;
    void carol.call('ack_invite', { session_id: id });
    await world.settle();
    expect(world.store.stagedUnits()).toBe(1);
    await releaseHold(world);
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['session.invite.ack', 'session.opened']);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol active');
  });

  it('[LC3] opens with a partial quorum, names the active participants, and lets late acks join', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    expect(await world.answer(carol.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    const names = [['alice', alice] as const, ['bob', bob] as const, ['carol', carol] as const];
    expect(lastLine(world, id)).toBe(`5 session.opened ${JSON.stringify({ active: [alice.agentId, carol.agentId] })}`);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob invited, carol active');
    await say(world, alice, id, 'before bob');
    expect(await world.answer(bob.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(lines(logOf(world.store, id), ...names).slice(-2)).toEqual([
      '7 session.invite.ack {"agent_id":"bob"}',
      '8 session.participant.joined {"agent_id":"bob","name":"bob","role":"participant","order":1}',
    ]);
    expect(bob.seqs(id)).toEqual([5, 6, 8]);
    expect(await standing(world, bob, id)).toBe('ACTIVE: alice active, bob active, carol active');
  });

  it('[LC3] a repeated ack gets the same answer', async () => {
    const { world, bob, id } = await aConversation();
    const before = logOf(world.store, id).length;
    expect(await world.answer(bob.call('ack_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(logOf(world.store, id)).toHaveLength(before);
  });

  it('[LC3] only a pending invitee may answer', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    const byCreator = { code: 'protocol_error', details: { status: 'active' } };
    expect(await refusal(world, alice.call('ack_invite', { session_id: id }))).toMatchObject(byCreator);
    expect(await refusal(world, alice.call('reject_invite', { session_id: id }))).toMatchObject(byCreator);
    const dave = await world.peer('dave');
    for (const op of ['ack_invite', 'reject_invite'] as const) {
      await refused(world, dave.call(op, { session_id: id }), 'not_found');
    }
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await refusal(world, bob.call('reject_invite', { session_id: id }))).toMatchObject(byCreator);
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob active, carol invited');
  });

  it('[LC4] a decline in a session for two ends it in the same unit', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await invited(world, alice, [bob]);
    expect(await world.answer(bob.call('reject_invite', { session_id: id, reason: 'busy' }))).toEqual({
      state: 'CLOSED',
    });
    expect(lines(logOf(world.store, id), ['bob', bob]).slice(2)).toEqual([
      '3 session.invite.reject {"agent_id":"bob","reason":"busy"}',
      '4 session.closed {"reason":"invite_rejected"}',
    ]);
    expect(await sessionOf(world, alice, id)).toMatchObject({
      state: 'CLOSED',
      close_reason: 'invite_rejected',
      rejected_by: [bob.agentId],
      pending_acks: [],
    });
  });

  it('[LC4] a decline that leaves the quorum in reach removes only its sender', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    expect(await world.answer(bob.call('reject_invite', { session_id: id }))).toEqual({ state: 'INVITED' });
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob rejected, carol invited');
    expect(lastLine(world, id)).toContain('"reason":"declined"');
    expect(await world.answer(bob.call('reject_invite', { session_id: id }))).toEqual({ state: 'INVITED' });
    await refused(world, bob.call('ack_invite', { session_id: id }), 'protocol_error');
    await world.answer(carol.call('ack_invite', { session_id: id }));
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob rejected, carol active');
  });

  it('[LC4] a decline after an ack may put the quorum out of reach', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 2 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await world.answer(carol.call('reject_invite', { session_id: id }))).toEqual({ state: 'CLOSED' });
    expect(bob.notifies(id).at(-1)?.envelope.event_type).toBe('session.closed');
  });

  it('[LC4] a decline after the opening does not end the session', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    expect(await world.answer(carol.call('reject_invite', { session_id: id }))).toEqual({ state: 'ACTIVE' });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol rejected');
  });

  it('[LC5, L9] closes with invite_timeout after 30 s without answers, once', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await world.pass(29 * SECOND + 999);
    expect(await standing(world, alice, id)).toBe('INVITED: alice active, bob invited');
    await world.pass(1);
    expect(await standing(world, alice, id)).toBe('CLOSED (invite_timeout): alice active, bob invited');
    await world.pass(MINUTE);
    expect(types(logOf(world.store, id)).slice(2)).toEqual(['session.closed']);
    await refused(world, bob.call('ack_invite', { session_id: id }), 'session_closed', {
      session_id: id,
      state: 'CLOSED',
      close_reason: 'invite_timeout',
    });
  });

  it('[LC5] an acks_within that closes sets deadline and reason', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const consulting = await invited(world, alice, [bob], { type: 'consulting', invite_timeout: '5m' });
    const expectations = [
      { name: 'acks_within', on_violation: 'warn', params: { seconds: 1 } },
      { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 9 } },
      { name: 'acks_within', on_violation: 'auto_close', params: { seconds: 7 } },
    ];
    const own = await invited(world, alice, [bob], { expectations });
    await world.pass(7 * SECOND - 1);
    expect(await standing(world, alice, own)).toMatch(/^INVITED/);
    await world.pass(1);
    expect(await standing(world, alice, own)).toMatch(/^CLOSED \(expectation_violated:acks_within\)/);
    await world.pass(22 * SECOND);
    expect(await standing(world, alice, consulting)).toMatch(/^INVITED/);
    await world.pass(SECOND);
    expect(await standing(world, alice, consulting)).toMatch(/^CLOSED \(expectation_violated:acks_within\)/);
  });

  it('[LC5, L9] leaves invitees 30 s after a restart, then closes once', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const late = await invited(world, alice, [bob]);
    const never = await invited(world, alice, [bob]);
    world.clock.advance(3_600_000);
    await world.restart();
    await world.pass(29_000);
    const back = await world.peer('bob');
    expect(await world.answer(back.call('ack_invite', { session_id: late }))).toEqual({ state: 'ACTIVE' });
    await world.pass(2000);
    const again = await world.peer('alice');
    expect(await standing(world, again, late)).toBe('ACTIVE: alice active, bob active');
    expect(await standing(world, again, never)).toBe('CLOSED (invite_timeout): alice active, bob invited');
    expect(logOf(world.store, never).filter(({ event_type }) => event_type === 'session.closed')).toHaveLength(1);
  });

  it('[LC5] uses the given invite_timeout, also for a partial quorum', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', invite_timeout: '3s' });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    await world.pass(3 * SECOND);
    expect(await standing(world, bob, id)).toBe('CLOSED (invite_timeout): alice active, bob active, carol invited');
  });

  it('[LC5] disarms the deadline after an ack in time', async () => {
    const { world, alice, id } = await aConversation();
    await world.pass(5 * MINUTE);
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active');
  });

  it('[LC6] a close from INVITED closes immediately and notifies the invitees', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    expect(await world.answer(alice.call('close_session', { session_id: id }))).toEqual({
      state: 'CLOSED',
      close_reason: 'explicit_close',
    });
    expect(bob.notifies(id).map(({ envelope, prev_seq }) => [envelope.event_type, prev_seq])).toEqual([
      ['session.invite', null],
      ['session.closed', null],
    ]);
  });

  it('[LC6] invitees may not close the session before joining', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob]);
    await refused(world, bob.call('close_session', { session_id: id }), 'forbidden');
    expect(await standing(world, alice, id)).toMatch(/^INVITED/);
  });

  it('[LC9] expires at expires_at, whatever the invites', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob], { ttl: '10s' });
    await world.pass(10 * SECOND - 1);
    expect(await standing(world, alice, id)).toMatch(/^INVITED/);
    await world.pass(1);
    expect(await standing(world, alice, id)).toBe('EXPIRED (ttl_expired): alice active, bob invited');
    expect(bob.notifies(id).at(-1)).toMatchObject({ prev_seq: null, envelope: { event_type: 'session.expired' } });
  });
});
