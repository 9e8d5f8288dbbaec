import type { Rule, RuleChange } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aConversation,
  aPanel,
  aWorld,
  foreignUnit,
  invited,
  logOf,
  MINUTE,
  opened,
  refusal,
  say,
  sessionOf,
  text,
} from '../scene.ts';

function rule(world: World, peer: Peer, change: RuleChange) {
  return world.answer(peer.call('set_rule', { rule: change }));
}

/** What whoever runs the hub says. */
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
    ['bob', access({ inbound_from: ['?'] }), 'bob takes nothing from alice (access.inbound_from)'],
  ] as const)('[RU6] is refused at once by the rule of %s: %j', async (name, change, reason) => {
    const world = await aWorld();
    const peers = { alice: await world.peer('alice'), bob: await world.peer('bob') };
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

  it('[RU6] has the depth of its creator’s rule, and what is deeper cannot be spoken in either', async () => {
    const { world, alice, bob, id } = await aConversation();
    const child = await opened(world, alice, [bob], { parent_session_id: id });
    const open = (parent_session_id: string) => invited(world, alice, [bob], { parent_session_id });
    await rule(world, alice, limits({ delegation_depth: 1 }));
    await say(world, alice, child, 'deep');
    expect(await refusal(world, open(child))).toMatchObject({
      code: 'forbidden',
      details: { reason: 'alice may go 1 sessions deep, this is 2 (limits.delegation_depth)' },
    });
    await rule(world, alice, limits({ delegation_depth: 0 }));
    expect((await refusal(world, say(world, alice, child, 'no'))).code).toBe('forbidden');
    await say(world, alice, id, 'up here');
  });

  it('[RU6] is no deeper than the rule of an invitee, or of one who is added, says', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    await rule(world, bob, limits({ delegation_depth: 0 }));
    const reason = 'bob may go 0 sessions deep, this is 1 (limits.delegation_depth)';
    const opening = invited(world, alice, [bob], { parent_session_id: id });
    expect(await refusal(world, opening)).toMatchObject({ code: 'forbidden', details: { reason } });
    const child = await opened(world, alice, [carol], { type: 'panel', parent_session_id: id });
    const adding = alice.call('add_participant', { session_id: child, participant: 'bob' });
    expect(await refusal(world, adding)).toMatchObject({ code: 'forbidden', details: { reason } });
    await invited(world, alice, [bob]);
  });

  it('[RU6] lasts as long as the rule says, unless it says so itself', async () => {
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

  it('[RU6] waits for nobody’s place: how many one may be in counts for creator and invitee, also for two at once', async () => {
    const { world, alice, bob, id } = await aConversation();
    const carol = await world.peer('carol');
    await rule(world, carol, limits({ max_concurrent_sessions: 0 }));
    expect((await refusal(world, invited(world, alice, [carol]))).message).toBe(
      'the session cannot be opened: carol may be in at most 0 sessions (limits.max_concurrent_sessions)',
    );
    await loosen(world, carol, limits({ max_concurrent_sessions: null }));
    await rule(world, bob, limits({ max_concurrent_sessions: 2 }));
    const outcomes = await world.answer(
      Promise.allSettled(
        [1, 2].map(() =>
          alice.call('create_session', { type: 'conversation', participants: ['bob'], wait: 'created' }),
        ),
      ),
    );
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
      expect(await refusal(world, call)).toMatchObject({ code: 'forbidden', details });
    }
    await invited(world, alice, [carol]);
  });

  it('[RU6] of many opened at once as many pass as there is room for, whoever opens them', async () => {
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
    // Who has no limit is let in; a stranger takes nobody's place.
    expect(outcomes[8]?.status).toBe('fulfilled');
    expect(outcomes[4]?.status).toBe('rejected');
    expect((await world.answer(bob.call('list_sessions', {}))).sessions).toHaveLength(3);
    expect((await world.answer(carol.call('list_sessions', {}))).sessions).toHaveLength(2);
  });

  it('[RU6] one that fails gives its place to the next in line', async () => {
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
    expect((await refusal(world, add)).code).toBe('session_closed');
    expect((await world.answer(open)).session.participants).toHaveLength(2);
  });

  it('[RU6] adding one more asks the same', async () => {
    const { world, alice, bob, id } = await aPanel();
    const dan = await world.peer('dan');
    await rule(world, dan, access({ inbound_from: ['bob'] }));
    const add = (by: Peer, participant = 'dan') => by.call('add_participant', { session_id: id, participant });
    const before = logOf(world.store, id);
    expect((await refusal(world, add(alice))).code).toBe('forbidden');
    // What is wrong with the request itself comes first, and tells nothing of rules.
    expect((await refusal(world, add(bob))).message).toContain('only alice');
    expect((await refusal(world, add(dan))).code).toBe('not_found');
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
  it('[RU6] goes only to whom its sender may talk, from the next post on', async () => {
    const { world, alice, id } = await aPanel();
    await rule(world, alice, access({ outbound_to: ['bob'] }));
    const before = logOf(world.store, id);
    expect(await refusal(world, say(world, alice, id, 'all'))).toMatchObject({
      code: 'forbidden',
      details: { reason: 'alice may not talk to carol (access.outbound_to)' },
    });
    expect(await world.answer(alice.call('can_send', { session_id: id }))).toMatchObject({
      can: false,
      code: 'forbidden',
    });
    expect(logOf(world.store, id)).toEqual(before);
    const { participants } = await sessionOf(world, alice, id);
    await say(world, alice, id, 'you', { audience: [participants[1]?.agent_id ?? ''] });
  });

  it('[RU6, L8] to who takes nothing from its sender is refused if it names it, and otherwise goes to the others', async () => {
    const { world, alice, bob, carol, id } = await aPanel();
    await rule(world, bob, access({ inbound_from: ['carol'] }));
    expect(await refusal(world, say(world, alice, id, 'psst', { audience: [bob.agentId] }))).toMatchObject({
      code: 'forbidden',
      details: { reason: 'bob takes nothing from alice (access.inbound_from)' },
    });
    const { seq } = await say(world, alice, id, 'everybody');
    const after = await say(world, carol, id, 'me too');
    expect(carol.seqs(id)).toContain(seq);
    expect(bob.seqs(id)).not.toContain(seq);
    // What does not come is not missed: the stream goes on without a hole.
    expect(bob.notifies(id).at(-1)).toMatchObject({ envelope: { seq: after.seq }, prev_seq: bob.seqs(id).at(-2) });
  });
});

describe('a rate', () => {
  const slow = limits({ rate: { per_minute: 60, burst: 2 } });

  it('[RU7, L8] holds over all sessions, says exactly when, and holds nobody else', async () => {
    const { world, alice, bob, id } = await aConversation();
    const other = await opened(world, alice, [bob]);
    await rule(world, alice, slow);
    await say(world, alice, id, '1');
    await say(world, alice, other, '2');
    expect(await refusal(world, say(world, alice, id, '3'))).toMatchObject({
      code: 'rate_limited',
      details: { retry_after_ms: 1000 },
    });
    for (let i = 0; i < 20; i++) await say(world, bob, id, `b${i}`);
    world.clock.advance(999);
    expect((await refusal(world, say(world, alice, other, '3'))).details).toEqual({ retry_after_ms: 1 });
    world.clock.advance(1);
    await say(world, alice, id, '3');
  });

  it('[RU7, AM3] costs nothing for a repeat of a key, or for what is refused', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, slow);
    const first = await say(world, alice, id, '1', { idempotency_key: 'k' });
    for (let i = 0; i < 5; i++) {
      expect(await say(world, alice, id, '1', { idempotency_key: 'k' })).toMatchObject({
        seq: first.seq,
        duplicate: true,
      });
      expect((await refusal(world, say(world, alice, id, 'x', { expected_seq: 1 }))).code).toBe('conflict');
      expect((await refusal(world, say(world, alice, id, 'x', { event_type: 'session.opened' }))).code).toBe(
        'protocol_error',
      );
    }
    await say(world, alice, id, '2');
    expect((await refusal(world, say(world, alice, id, '3'))).code).toBe('rate_limited');
    expect(await say(world, alice, id, '1', { idempotency_key: 'k' })).toMatchObject({ duplicate: true });
  });

  it('[RU7] another rule applies to the next post, also of who waits', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, limits({ rate: { per_minute: 1, burst: 1 } }));
    await say(world, alice, id, '1');
    expect((await refusal(world, say(world, alice, id, '2'))).details).toEqual({ retry_after_ms: 60_000 });
    await loosen(world, alice, limits({ rate: null }));
    await say(world, alice, id, '2');
  });

  it('[RU7] a post that is tried again after its time is judged by the rule there is then, looser or tighter', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, limits({ rate: { per_minute: 60, burst: 1 } }));
    await say(world, alice, id, '1');
    expect((await refusal(world, say(world, alice, id, '2'))).details).toEqual({ retry_after_ms: 1000 });
    await rule(world, alice, limits({ rate: { per_minute: 1, burst: 1 } }));
    world.clock.advance(1000);
    // By the old rule it might: a second gives back a sixtieth of it now.
    expect((await refusal(world, say(world, alice, id, '2'))).details).toEqual({ retry_after_ms: 59_000 });
    await loosen(world, alice, limits({ rate: { per_minute: 60, burst: 1 } }));
    await say(world, alice, id, '2');
    await rule(world, alice, access({ outbound_to: [] }));
    world.clock.advance(1000);
    expect((await refusal(world, say(world, alice, id, '3'))).code).toBe('forbidden');
  });

  it('[RU7] a rate that is tightened leaves no debt of what was sent before', async () => {
    const { world, alice, id } = await aConversation();
    await rule(world, alice, limits({ rate: { per_minute: 60, burst: 50 } }));
    for (let i = 0; i < 50; i++) await say(world, alice, id, `${i}`);
    await rule(world, alice, limits({ rate: { per_minute: 1, burst: 1 } }));
    expect((await refusal(world, say(world, alice, id, 'more'))).details).toEqual({ retry_after_ms: 60_000 });
    world.clock.advance(60_000);
    await say(world, alice, id, 'more');
  });

  it('[RU7, AM9] one post pays once, though another writer was first', async () => {
    const { world, alice, bob, id } = await aConversation();
    await rule(world, alice, slow);
    world.hold = true;
    const call = alice.call('post', text(id, '1'));
    await world.settle();
    const log = logOf(world.store, id);
    const last = log.at(-1);
    if (last === undefined) throw new Error('no log');
    const envelope = {
      ...last,
      sender_id: bob.agentId,
      audience: null,
      event_type: 'msg.text',
      event_data: { text: 'first' },
      seq: last.seq + 1,
      envelope_id: `${last.envelope_id.slice(0, 30)}ff`,
    };
    world.store.foreignAppend(id, { entries: [{ envelope, turn: null }] });
    world.hold = false;
    await world.answer(call);
    await say(world, alice, id, '2');
    expect((await refusal(world, say(world, alice, id, '3'))).code).toBe('rate_limited');
  });
});
