import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aCast,
  aConversation,
  ack,
  aPanel,
  HOUR,
  invited,
  leap,
  leave,
  lines,
  logOf,
  MINUTE,
  opened,
  rebind,
  refusal,
  refused,
  SECOND,
  say,
  standing,
  text,
  types,
} from '../scene.ts';
import { SlowReads } from '../slow-stores.ts';
import { lastLine } from './scene.ts';

describe('ACTIVE', () => {
  it('[LC6] any active participant may close, and gets the answer with the closing', async () => {
    const { world, bob, id } = await aConversation();
    bob.acks = false;
    expect(await world.answer(bob.call('close_session', { session_id: id, reason: 'enough' }))).toEqual({
      state: 'CLOSING',
      close_reason: 'enough',
    });
    expect(lastLine(world, id)).toBe(`5 session.closing {"reason":"enough","by":"${bob.agentId}"}`);
  });

  it('[LC6] close_session with wait closed answers after the end', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    const call = alice.call('close_session', { session_id: id, wait: 'closed' });
    let answer: unknown = null;
    void call.then((result) => {
      answer = result;
    });
    await world.settle();
    await world.pass(4 * SECOND);
    expect([answer, await standing(world, alice, id)]).toEqual([
      null,
      'CLOSING (explicit_close): alice active, bob active',
    ]);
    await world.pass(SECOND);
    expect(answer).toEqual({ state: 'CLOSED', close_reason: 'explicit_close' });
    expect(await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }))).toEqual(answer);
  });

  it('[LC6] with close_by creator only the creator may close', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await opened(world, alice, [bob, carol], { type: 'panel', knobs: { close_by: 'creator' } });
    expect(await refusal(world, bob.call('close_session', { session_id: id }))).toEqual({
      code: 'forbidden',
      message: `only its creator may close session ${id} (knob close_by)`,
      details: undefined,
    });
    expect(await standing(world, alice, id)).toMatch(/^ACTIVE/);
    expect(await world.answer(alice.call('close_session', { session_id: id }))).toMatchObject({ state: 'CLOSING' });
  });

  it('[LC9, L9] expires at expires_at, in one step, for good', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { ttl: '1m' });
    await world.pass(MINUTE - 1);
    await say(world, alice, id, 'in time');
    await world.pass(1);
    expect(await standing(world, alice, id)).toBe('EXPIRED (ttl_expired): alice active, bob active');
    await world.pass(MINUTE);
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['msg.text', 'session.expired']);
    await refused(world, alice.call('post', text(id, 'late')), 'session_closed', {
      session_id: id,
      state: 'EXPIRED',
      close_reason: 'ttl_expired',
    });
  });

  it('[LC9] has a default TTL of two hours', async () => {
    const { world, alice, id } = await aConversation();
    await leap(world, 2 * HOUR - 1);
    expect(await standing(world, alice, id)).toMatch(/^ACTIVE/);
    await leap(world, 1);
    expect(await standing(world, alice, id)).toMatch(/^EXPIRED/);
  });

  it('[LC9, L9] a TTL that ends while the hub is down ends the session once after the start', async () => {
    const { world, id } = await aConversation();
    await world.restart();
    world.clock.advance(3 * HOUR);
    await world.restart();
    await world.pass(SECOND);
    await world.pass(SECOND);
    expect(types(logOf(world.store, id)).slice(4)).toEqual(['session.expired']);
  });

  it('[L6, L9] retries a failed deadline at the next sweep', async () => {
    const store = new SlowReads();
    const { world, id } = await aConversation({}, { store }, { expectations: [] });
    world.hub.evictIdle();
    store.failures = 1;
    await leap(world, 2 * HOUR);
    expect(lastLine(world, id)).toMatch(/^4 session.opened/);
    await world.pass(SECOND);
    expect(lastLine(world, id)).toBe('5 session.expired {"reason":"ttl_expired"}');
  });

  it('[LC8, L4] an adapter’s close is in the unit of the reply, and nothing is accepted after it', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob', 'carol']);
    const id = await opened(world, alice, [bob], { type: 'consulting' });
    await say(world, alice, id, 'question');
    world.hold = true;
    const reply = bob.call('post', text(id, 'answer'));
    const late = bob.call('post', { ...text(id, 'more'), event_type: 'note', event_data: {} });
    await world.settle();
    expect(world.store.stagedUnits()).toBe(1);
    world.hold = false;
    await refused(world, late, 'session_closed', { state: 'CLOSING' });
    await reply;
    expect(types(logOf(world.store, id)).slice(-4)).toEqual([
      'msg.text',
      'msg.text',
      'session.closing',
      'session.closed',
    ]);
  });

  it('[LC8, RE6] a full log closes in the unit of the envelope that filled it', async () => {
    const { world, alice, bob, id } = await aConversation({ maxEnvelopes: 6 });
    await say(world, alice, id, 'five');
    await say(world, bob, id, 'six');
    expect(lines(logOf(world.store, id)).slice(-2)).toEqual([
      '7 session.closing {"reason":"log_full"}',
      '8 session.closed {"reason":"log_full"}',
    ]);
  });
});

describe('CLOSING', () => {
  async function closing(peers: { world: World; alice: Peer; bob: Peer; id: string }) {
    const { world, alice, bob, id } = peers;
    bob.acks = false;
    await world.answer(alice.call('close_session', { session_id: id, reason: 'first' }));
    return peers;
  }

  it('[LC7] rejects posts and keeps the first reason', async () => {
    const { world, alice, bob, id } = await closing(await aConversation());
    expect(await refusal(world, bob.call('post', text(id, 'wait')))).toEqual({
      code: 'session_closed',
      message: `session ${id} is CLOSING (first); "msg.text" needs an active session`,
      details: { session_id: id, state: 'CLOSING', close_reason: 'first' },
    });
    expect(await world.answer(bob.call('close_session', { session_id: id, reason: 'second' }))).toEqual({
      state: 'CLOSING',
      close_reason: 'first',
    });
    expect(await standing(world, alice, id)).toBe('CLOSING (first): alice active, bob active');
    expect(lastLine(world, id)).toMatch(/^5 session.closing {"reason":"first","by":"[0-9a-f]{32}"}$/);
  });

  it('[LC7] ends when all bound participants have acked the closing and everything before it', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    await say(world, alice, id, 'a');
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(bob.seqs(id)).toEqual([4, 5, 6]);
    await ack(world, bob, id, 6);
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    await ack(world, bob, id, 5);
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
  });

  it('[LC7] ends when the last participant without an ack disconnects', async () => {
    const { world, alice, bob, id } = await closing(await aConversation());
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    await leave(world, bob);
    expect(await standing(world, alice, id)).toMatch(/^CLOSED \(first\)/);
  });

  it('[LC7] ends at the drain timeout, by default 5 s', async () => {
    for (const [drain_timeout, ms] of [
      [undefined, 5 * SECOND],
      ['90s', 90 * SECOND],
      [0, 5 * SECOND],
    ] as const) {
      const { world, alice, bob } = await aCast(['alice', 'bob']);
      const id = await opened(world, alice, [bob], drain_timeout === undefined ? {} : { drain_timeout });
      await closing({ world, alice, bob, id });
      await world.pass(ms - 1);
      expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
      await world.pass(1);
      expect(await standing(world, alice, id)).toMatch(/^CLOSED \(first\)/);
    }
  });

  it('[LC7] does not wait for invitees that never joined', async () => {
    const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol']);
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
    await world.answer(bob.call('ack_invite', { session_id: id }));
    carol.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
    expect(carol.notifies(id).map(({ envelope }) => envelope.event_type)).toEqual(['session.invite', 'session.closed']);
  });

  it('[LC7] ends at a restart, since nobody is bound', async () => {
    const { world, id } = await closing(await aConversation());
    await world.crash();
    expect(lastLine(world, id)).toBe('6 session.closed {"reason":"first"}');
  });

  it('[LC7] waits for a participant that binds again', async () => {
    const { world, alice, id } = await closing(await aConversation());
    const again = await rebind(world, 'bob');
    expect(again.seqs(id)).toEqual([5]);
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    await ack(world, again, id, 5);
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
  });

  it('[LC7] does not wait for a participant that binds again after acking the closing', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    carol.acks = false;
    await world.answer(alice.call('close_session', { session_id: id }));
    const again = world.stranger();
    again.acks = true;
    again.hello('bob');
    await leave(world, carol);
    expect(bob.frames.at(-1)).toMatchObject({ kind: 'goodbye', reason: 'replaced' });
    expect(await standing(world, alice, id)).toMatch(/^CLOSED/);
  });

  it('[LC9] ignores expires_at', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob], { ttl: '10s', drain_timeout: '1m' });
    await closing({ world, alice, bob, id });
    await world.pass(30 * SECOND);
    expect(await standing(world, alice, id)).toMatch(/^CLOSING/);
    await world.pass(30 * SECOND);
    expect(await standing(world, alice, id)).toMatch(/^CLOSED \(first\)/);
  });
});
