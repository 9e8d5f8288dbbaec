import type { Rule, RuleChange } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  foreignUnit,
  invited,
  logOf,
  MINUTE,
  opened,
  refusal,
  refused,
  say,
  sessionOf,
  text,
} from '../scene.ts';

function rule(world: World, peer: Peer, change: RuleChange) {
  return world.answer(peer.call('set_rule', { rule: change }));
}

/** Sets a rule with the grant to loosen it. */
async function loosen(world: World, peer: Peer, change: RuleChange) {
  await world.answer(world.hub.grant(peer.agentId, ['rules']));
  await rule(world, peer, change);
  await world.answer(world.hub.revoke(peer.agentId, ['rules']));
}

const access = (change: Partial<Rule['access']>): RuleChange => ({ access: change });
const limits = (change: NonNullable<RuleChange['limits']>): RuleChange => ({ limits: change });

describe('opening a session', () => {
  it.each([
    [
      'alice',
      access({ session_types: { initiate: ['consult*'], accept: ['*'] } }),
      'alice may not open "conversation" sessions (access.session_types.initiate)',
    ],
    ['alice', access({ outbound_to: ['c*'] }), 'alice may not talk to bob (access.outbound_to)'],
    [
      'bob',
      access({ session_types: { initiate: ['*'], accept: [] } }),
      'bob does not accept "conversation" sessions (access.session_types.accept)',
    ],
    ['bob', access({ inbound_from: ['?'] }), 'bob does not accept messages from alice (access.inbound_from)'],
  ] as const)('[RU6] is rejected by the rule of %s: %j', async (name, change, reason) => {
    const { world, ...peers } = await aCast(['alice', 'bob']);
    await rule(world, peers[name], change);
    const params = { type: 'conversation', participants: ['bob'] } as const;
    expect(await refusal(world, peers.alice.call('create_session', params))).toEqual({
      code: 'forbidden',
      message: `the session cannot be opened: ${reason}`,
      details: { reason },
    });
    expect((await world.answer(peers.alice.call('list_sessions', {}))).sessions).toEqual([]);
    expect(peers.bob.notifies()).toEqual([]);
  });

  it('[RU6] is limited in depth by its creator’s rule, which applies to deeper sessions too', async () => {
    const { world, alice, bob, id } = await aConversation();
    const child = await opened(world, alice, [bob], { parent_session_id: id });
    const open = (parent_session_id: string) => invited(world, alice, [bob], { parent_session_id });
    await rule(world, alice, limits({ delegation_depth: 1 }));
    await say(world, alice, child, 'deep');
    await refused(world, open(child), 'forbidden', {
      reason: 'alice may use sessions up to depth 1, this one has depth 2 (limits.delegation_depth)',
    });
    await rule(world, alice, limits({ delegation_depth: 0 }));
    await refused(world, say(world, alice, child, 'no'), 'forbidden');
    await say(world, alice, id, 'up here');
  });

  it('[RU6] is limited in depth by the rule of every invitee and added participant', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    await rule(world, bob, limits({ delegation_depth: 0 }));
    const reason = 'bob may use sessions up to depth 0, this one has depth 1 (limits.delegation_depth)';
    const opening = invited(world, alice, [bob], { parent_session_id: id });
    await refused(world, opening, 'forbidden', { reason });
    const child = await opened(world, alice, [carol], { type: 'panel', parent_session_id: id });
    const adding = alice.call('add_participant', { session_id: child, participant: 'bob' });
    await refused(world, adding, 'forbidden', { reason });
    await invited(world, alice, [bob]);
  });

  it('[RU6] uses the TTL of the rule, unless it is given one', async () => {
    const { world, alice, bob } = await aConversation();
    await rule(world, alice, limits({ session_ttl_default: '1m' }));
    const life = async (id: string) => {
      const { expires_at, created_at } = await sessionOf(world, alice, id);
      return expires_at === null ? null : Date.parse(expires_at) - Date.parse(created_at);
    };
    expect(await life(await invited(world, alice, [bob]))).toBe(MINUTE);
    expect(await life(await invited(world, alice, [bob], { ttl: '5m' }))).toBe(5 * MINUTE);
    await loosen(world, alice, limits({ session_ttl_default: 0 }));
    expect(await life(await invited(world, alice, [bob]))).toBe(null);
  });

  it('[RU6] counts against the session limit of creator and invitee, also for two concurrent creations', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    await rule(world, carol, limits({ max_concurrent_sessions: 0 }));
    expect((await refusal(world, invited(world, alice, [carol]))).message).toBe(
      'the session cannot be opened: carol may be in at most 0 sessions (limits.max_concurrent_sessions)',
    );
    await loosen(world, carol, limits({ max_concurrent_sessions: null }));
    await rule(world, bob, limits({ max_concurrent_sessions: 2 }));
    const create = () => alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' });
    const outcomes = await world.answer(Promise.allSettled([create(), create()]));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await world.answer(bob.call('leave_session', { session_id: id }));
    for (const { session_id, state } of (await world.answer(bob.call('list_sessions', {}))).sessions) {
      if (state === 'INVITED') await world.answer(bob.call('reject_invite', { session_id }));
    }
    await invited(world, alice, [bob]);
    await invited(world, bob, [carol]);
    for (const [creator, invitee] of [
      [alice, 'bob'],
      [bob, 'carol'],
    ] as const) {
      const call = creator.call('create_session', { type: 'conversation', participants: [invitee] });
      const details = { agent_id: bob.agentId, most: 2 };
      await refused(world, call, 'forbidden', details);
    }
    await invited(world, alice, [carol]);
  });

  it('[RU6] opens as many of several concurrent sessions as the limits allow', async () => {
    const world = await aWorld();
    const peers = await Promise.all(['alice', 'bob', 'carol', 'dan'].map((name) => world.peer(name)));
    const [alice, bob, carol, dan] = peers as [Peer, Peer, Peer, Peer];
    await rule(world, bob, limits({ max_concurrent_sessions: 3 }));
    await rule(world, carol, limits({ max_concurrent_sessions: 2 }));
    const open = (by: Peer, ...names: readonly string[]) =>
      by.call('create_session', { type: 'panel', participants: names, wait: 'created' });
    const outcomes = await world.answer(
      Promise.allSettled([
        open(alice, 'bob'),
        open(dan, 'carol', 'bob'),
        open(bob, 'dan', 'carol'),
        open(alice, 'carol', 'bob'),
        open(alice, 'nobody'),
        open(dan, 'bob'),
        open(bob, 'alice'),
        open(carol, 'dan'),
        open(alice, 'dan'),
      ]),
    );
    // Agents without a limit are let in; an unknown name takes no place.
    expect(outcomes[8]?.status).toBe('fulfilled');
    expect(outcomes[4]?.status).toBe('rejected');
    expect((await world.answer(bob.call('list_sessions', {}))).sessions).toHaveLength(3);
    expect((await world.answer(carol.call('list_sessions', {}))).sessions).toHaveLength(2);
  });

  it('[RU6] leaves its place to the next when it fails', async () => {
    const { world, alice, bob, id } = await aPanel();
    const dan = await world.peer('dan');
    await rule(world, dan, limits({ max_concurrent_sessions: 1 }));
    world.hold = true;
    const add = alice.call('add_participant', { session_id: id, participant: 'dan' });
    const open = bob.call('create_session', { type: 'conversation', participants: ['dan'], wait: 'created' });
    await world.settle();
    // Another writer ends the panel before dan is in it.
    world.store.foreignAppend(
      id,
      foreignUnit(world, id, { event_type: 'session.closed', event_data: { reason: 'x' } }),
    );
    world.hold = false;
    await refused(world, add, 'session_closed');
    expect((await world.answer(open)).session.participants).toHaveLength(2);
  });

  it('[RU6] adding a participant is checked the same way', async () => {
    const { world, alice, bob, id } = await aPanel();
    const dan = await world.peer('dan');
    await rule(world, dan, access({ inbound_from: ['bob'] }));
    const add = (by: Peer, participant = 'dan') => by.call('add_participant', { session_id: id, participant });
    const before = logOf(world.store, id);
    await refused(world, add(alice), 'forbidden');
    // Errors of the request come first and reveal no rules.
    expect((await refusal(world, add(bob))).message).toContain('only alice');
    await refused(world, add(dan), 'not_found');
    expect(logOf(world.store, id)).toEqual(before);
    await rule(world, dan, limits({ max_concurrent_sessions: 0 }));
    await loosen(world, dan, access({ inbound_from: ['*'] }));
    expect(await refusal(world, add(alice))).toMatchObject({
      message: 'dan cannot be added: dan may be in at most 0 sessions (limits.max_concurrent_sessions)',
      details: { agent_id: dan.agentId, most: 0 },
    });
  });
});

describe('a post', () => {
  it('[RU6] reaches only recipients its sender may address, from the next post on', async () => {
    const { world, alice, id } = await aPanel();
    await rule(world, alice, access({ outbound_to: ['bob'] }));
    const before = logOf(world.store, id);
    await refused(world, say(world, alice, id, 'all'), 'forbidden', {
      reason: 'alice may not talk to carol (access.outbound_to)',
    });
    expect(await world.answer(alice.call('can_send', { session_id: id }))).toMatchObject({
      can: false,
      code: 'forbidden',
    });
    expect(logOf(world.store, id)).toEqual(before);
    const { participants } = await sessionOf(world, alice, id);
    await say(world, alice, id, 'you', { audience: [participants[1]?.agent_id ?? ''] });
  });

  it('[RU6, L8] is rejected if addressed to a recipient that blocks its sender, and otherwise reaches the others', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await rule(world, bob, access({ inbound_from: ['carol'] }));
    await refused(world, say(world, alice, id, 'psst', { audience: [bob.agentId] }), 'forbidden', {
      reason: 'bob does not accept messages from alice (access.inbound_from)',
    });
    const { seq } = await say(world, alice, id, 'everybody');
    const after = await say(world, carol, id, 'me too');
    expect(carol.seqs(id)).toContain(seq);
    expect(bob.seqs(id)).not.toContain(seq);
    // Withheld envelopes leave no gap in the stream.
    expect(bob.notifies(id).at(-1)).toMatchObject({ envelope: { seq: after.seq }, prev_seq: bob.seqs(id).at(-2) });
  });
});

describe('a rate limit', () => {
  const slow = limits({ rate: { per_minute: 60, burst: 2 } });

  it('[RU7, L8] applies over all sessions, returns the exact delay, and affects nobody else', async () => {
    const { world, alice, bob, id } = await aConversation();
    const other = await opened(world, alice, [bob]);
    await rule(world, alice, slow);
    await say(world, alice, id, '1');
    await say(world, alice, other, '2');
    await refused(world, say(world, alice, id, '3'), 'rate_limited', { retry_after_ms: 1000 });
    for (let i = 0; i < 20; i++) await say(world, bob, id, `b${i}`);
    world.clock.advance(999);
    expect((await refusal(world, say(world, alice, other, '3'))).details).toEqual({ retry_after_ms: 1 });
    world.clock.advance(1);
    await say(world, alice, id, '3');
  });

  it('[RU7, AM3] is not charged for repeated keys or rejected posts', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, slow);
    const first = await say(world, alice, id, '1', { idempotency_key: 'k' });
    for (let i = 0; i < 5; i++) {
      expect(await say(world, alice, id, '1', { idempotency_key: 'k' })).toMatchObject({
        seq: first.seq,
        duplicate: true,
      });
      await refused(world, say(world, alice, id, 'x', { expected_seq: 1 }), 'conflict');
      const forged = await refusal(world, say(world, alice, id, 'x', { event_type: 'session.opened' }));
      expect(forged.code).toBe('protocol_error');
    }
    await say(world, alice, id, '2');
    await refused(world, say(world, alice, id, '3'), 'rate_limited');
    expect(await say(world, alice, id, '1', { idempotency_key: 'k' })).toMatchObject({ duplicate: true });
  });

  it('[RU7] follows a new rule with the next post', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, limits({ rate: { per_minute: 1, burst: 1 } }));
    await say(world, alice, id, '1');
    expect((await refusal(world, say(world, alice, id, '2'))).details).toEqual({ retry_after_ms: 60_000 });
    await loosen(world, alice, limits({ rate: null }));
    await say(world, alice, id, '2');
  });

  it('[RU7] of a retried post follows the current rule, looser or tighter', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, limits({ rate: { per_minute: 60, burst: 1 } }));
    await say(world, alice, id, '1');
    expect((await refusal(world, say(world, alice, id, '2'))).details).toEqual({ retry_after_ms: 1000 });
    await rule(world, alice, limits({ rate: { per_minute: 1, burst: 1 } }));
    world.clock.advance(1000);
    // The old rule would allow it; the new one restores only a sixtieth in a second.
    expect((await refusal(world, say(world, alice, id, '2'))).details).toEqual({ retry_after_ms: 59_000 });
    await loosen(world, alice, limits({ rate: { per_minute: 60, burst: 1 } }));
    await say(world, alice, id, '2');
    await rule(world, alice, access({ outbound_to: [] }));
    world.clock.advance(1000);
    await refused(world, say(world, alice, id, '3'), 'forbidden');
  });

  it('[RU7] that is tightened leaves no debt from earlier posts', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, limits({ rate: { per_minute: 60, burst: 50 } }));
    for (let i = 0; i < 50; i++) await say(world, alice, id, `${i}`);
    await rule(world, alice, limits({ rate: { per_minute: 1, burst: 1 } }));
    expect((await refusal(world, say(world, alice, id, 'more'))).details).toEqual({ retry_after_ms: 60_000 });
    world.clock.advance(60_000);
    await say(world, alice, id, 'more');
  });

  it('[RU7, AM9] charges a post once, even if another writer was first', async () => {
    const { world, alice, bob, id } = await aConversation();
    await rule(world, alice, slow);
    world.hold = true;
    const call = alice.call('post', text(id, '1'));
    await world.settle();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: bob.agentId }));
    world.hold = false;
    await world.answer(call);
    await say(world, alice, id, '2');
    await refused(world, say(world, alice, id, '3'), 'rate_limited');
  });
});
