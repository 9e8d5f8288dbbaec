import { describe, expect, it } from 'vitest';
import { REGISTRY_LOG } from '../../../src/core/ports/store.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import {
  aConversation,
  aWorld,
  foreignUnit,
  invited,
  logOf,
  recordEvents,
  refused,
  releaseHold,
  SECOND,
  say,
  sessionOf,
  standing,
  text,
  watch,
} from '../scene.ts';
import { scene } from './scene.ts';

/** Runs `act` while the disk is held, then lets another writer append first. */
async function overtaken<T>(world: World, id: string, act: () => T, ...drafts: Parameters<typeof foreignUnit>[2][]) {
  world.hold = true;
  const result = act();
  await world.settle();
  world.store.foreignAppend(id, foreignUnit(world, id, ...drafts));
  await releaseHold(world);
  return result;
}

describe('after another writer was first', () => {
  const said = (world: World, id: string) =>
    logOf(world.store, id)
      .filter(({ event_type }) => event_type === 'msg.text')
      .map(({ event_data }) => event_data.text);

  it('[AM9, L2] staged posts are judged again, in order, with new stamps', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.hold = true;
    const calls = ['a', 'b', 'c'].map((words) =>
      watch(alice.call('post', text(id, words, { idempotency_key: words }))),
    );
    await world.settle();
    const foreign = foreignUnit(world, id, { sender_id: bob.agentId }, { sender_id: bob.agentId });
    world.store.foreignAppend(id, foreign);
    // The next post arrives while the log is read.
    world.store.sync();
    calls.push(watch(alice.call('post', text(id, 'd'))));
    await releaseHold(world);
    expect(said(world, id)).toEqual(['foreign', 'foreign', 'a', 'b', 'c', 'd']);
    expect(calls.map(({ value }) => (value as { seq: number }).seq)).toEqual([7, 8, 9, 10]);
    const log = logOf(world.store, id);
    const ids = log.map(({ envelope_id }) => envelope_id);
    expect([...new Set(ids)].sort()).toEqual(ids);
    expect(calls.map(({ value }) => (value as { envelope_id: string }).envelope_id)).toEqual(ids.slice(6));
    expect([alice.seqs(id), bob.seqs(id)]).toEqual([
      [3, 4, 5, 6],
      [4, 7, 8, 9, 10],
    ]);
    expect(await say(world, alice, id, 'b', { idempotency_key: 'b' })).toMatchObject({ seq: 8, duplicate: true });
  });

  it('[AM9] a spurious conflict only costs a second attempt', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.store.conflict(id);
    expect((await say(world, alice, id, 'hello')).seq).toBe(5);
    expect(bob.seqs(id)).toEqual([4, 5]);
    expect(said(world, id)).toEqual(['hello']);
  });

  it('[AM9, EV1] the other writer’s entries are published once, before our own', async () => {
    const { world, alice, id } = await aConversation();
    const posted = recordEvents(world, 'envelopePosted', ({ envelope }) => envelope.seq);
    world.store.foreignAppend(id, foreignUnit(world, id, {}, {}));
    await say(world, alice, id, 'mine');
    expect(posted).toEqual([5, 6, 7]);
    expect((await sessionOf(world, alice, id)).head_seq).toBe(7);
  });

  it('[AM9, L4] staged posts are rejected if it closed the session', async () => {
    const { world, alice, bob, id } = await aConversation();
    const post = (idempotency_key: string) => watch(alice.call('post', text(id, 'too late', { idempotency_key })));
    const closing = { event_type: 'session.closing', event_data: { reason: 'theirs' } };
    const closed = { event_type: 'session.closed', event_data: { reason: 'theirs' } };
    const posts = await overtaken(world, id, () => ['k', 'k2', 'k3'].map(post), closing, closed);
    for (const post of posts) {
      expect(post).toMatchObject({ state: 'refused', value: { code: 'session_closed', details: { state: 'CLOSED' } } });
    }
    expect(said(world, id)).toEqual([]);
    expect(bob.seqs(id)).toEqual([4, 5, 6]);
    expect(world.hub.health().sessions.live).toBe(0);
    expect(await sessionOf(world, alice, id)).toMatchObject({ state: 'CLOSED', close_reason: 'theirs', head_seq: 6 });
    // The keys are unused.
    for (const idempotency_key of ['k', 'k2', 'k3']) {
      await refused(world, alice.call('post', text(id, 'x', { idempotency_key })), 'session_closed');
    }
  });

  it('[AM9, AM3] a key it used makes the same content a duplicate and rejects other content', async () => {
    const { world, alice, id } = await aConversation();
    const post = (words: string, idempotency_key: string) =>
      watch(alice.call('post', text(id, words, { idempotency_key })));
    const theirs = (words: string, idempotency_key: string) => ({
      sender_id: alice.agentId,
      event_data: { text: words },
      idempotency_key,
    });
    const drafts = [theirs('one', 'k1'), theirs('other', 'k2')];
    const [same, other] = await overtaken(world, id, () => [post('one', 'k1'), post('two', 'k2')], ...drafts);
    expect(same).toMatchObject({ state: 'answered', value: { seq: 5, duplicate: true } });
    expect(other).toMatchObject({ state: 'refused', value: { code: 'duplicate', details: { seq: 6 } } });
    expect(said(world, id)).toEqual(['one', 'other']);
  });

  it('[AM9, AM4] expected_seq is checked on the new head', async () => {
    const { world, alice, id } = await aConversation();
    const call = await overtaken(world, id, () => watch(alice.call('post', text(id, 'x', { expected_seq: 4 }))), {});
    expect(call).toEqual({ state: 'refused', value: { code: 'conflict', details: { head: 5 } } });
  });

  it('[AM9] rejections between staged posts are judged again, and answered in order', async () => {
    const { world, alice, bob, consulting } = await scene();
    const order: string[] = [];
    const watchAll = (name: string, call: Promise<unknown>) =>
      call.then(
        () => order.push(`${name} accepted`),
        ({ code }: { code: string }) => order.push(`${name} ${code}`),
      );
    const question = { sender_id: alice.agentId, event_data: { text: 'theirs' } };
    const post = () => {
      void watchAll('question', alice.call('post', text(consulting, 'question')));
      void watchAll('again', alice.call('post', text(consulting, 'again')));
      void watchAll('reply', bob.call('post', text(consulting, 'reply')));
    };
    await overtaken(world, consulting, post, question);
    expect(order).toEqual(['question not_your_turn', 'again not_your_turn', 'reply accepted']);
    expect(said(world, consulting)).toEqual(['theirs', 'reply']);
  });

  it('[AM9, LC3] two acks that race over two hubs both count', async () => {
    const { world, alice, bob, carol } = await scene();
    const id = await invited(world, alice, [bob, carol], { type: 'panel' });
    const theirs = {
      event_type: 'session.invite.ack',
      event_data: { agent_id: bob.agentId },
      audience: [alice.agentId],
    };
    const ack = await overtaken(world, id, () => watch(carol.call('ack_invite', { session_id: id })), theirs);
    expect(ack).toEqual({ state: 'answered', value: { state: 'ACTIVE' } });
    expect(await standing(world, alice, id)).toBe('ACTIVE: alice active, bob active, carol active');
  });

  it('[AM9] a name in the registry may be taken, and other registrations are kept', async () => {
    const world = await aWorld();
    await world.peer('alice');
    const [one, two] = [world.stranger(), world.stranger()];
    const register = () => [
      watch(one.call('register', { name: 'dave' })),
      watch(two.call('register', { name: 'erin' })),
    ];
    const passport = {
      agent_id: 'd'.repeat(32),
      name: 'dave',
      kind: 'agent',
      owner: null,
      provider: null,
      model: null,
      cost: null,
      region: null,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    const theirs = { event_type: 'agent.registered', event_data: passport, audience: [] };
    const [taken, free] = await overtaken(world, REGISTRY_LOG, register, theirs);
    expect(taken).toMatchObject({ state: 'refused', value: { code: 'conflict' } });
    expect(free).toMatchObject({ state: 'answered', value: { name: 'erin', agent_id: two.agentId } });
    const { agents } = await world.answer(two.call('list_agents', {}));
    expect(agents.map(({ name }) => name)).toEqual(['alice', 'dave', 'erin']);
    one.hello('dave');
    await world.settle();
    expect(one.agentId).toBe('d'.repeat(32));
  });

  it('[AM9, L3] the session is the same live and folded again', async () => {
    const { world, alice, bob, id } = await aConversation();
    world.store.foreignAppend(id, foreignUnit(world, id, { sender_id: bob.agentId }));
    await say(world, alice, id, 'mine');
    const live = await world.answer(alice.call('get_session', { session_id: id }));
    world.hub.evictIdle();
    expect(await world.answer(alice.call('get_session', { session_id: id }))).toEqual(live);
    await world.restart();
    const again = await world.peer('alice');
    expect(await world.answer(again.call('get_session', { session_id: id }))).toEqual(live);
  });
});

describe('a hub that is behind', () => {
  const behind = {
    state: 'refused',
    value: { code: 'unavailable', details: { outcome: 'refused', retry_after_ms: 1000 } },
  };

  it('[AM11] rejects before admission once a write takes over 5 s, and accepts posts after it', async () => {
    const { world, alice, bob, carol, active, pending } = await scene();
    world.hold = true;
    const held = watch(alice.call('post', text(active, 'held')));
    await world.settle();
    await world.pass(5 * SECOND);
    const inTime = watch(alice.call('post', text(active, 'still')));
    await world.settle();
    await world.pass(1);
    const units = world.store.stagedUnits();
    const late = [
      bob.call('post', text(active, 'late')),
      alice.call('create_session', { type: 'conversation', participants: ['bob'] }),
      carol.call('ack_invite', { session_id: pending }),
      carol.call('reject_invite', { session_id: pending }),
      bob.call('close_session', { session_id: active }),
      world.hub.hideParticipant(active, 'bob'),
      world.hub.returnParticipant(active, 'bob'),
      world.hub.removeParticipant(active, 'bob'),
    ].map(watch);
    await world.settle();
    expect(late).toEqual(late.map(() => behind));
    expect([held.state, inTime.state, world.store.stagedUnits()]).toEqual(['open', 'open', units]);
    expect((await sessionOf(world, bob, active)).head_seq).toBe(4);
    await releaseHold(world);
    expect([held.state, inTime.state]).toEqual(['answered', 'answered']);
    expect((await say(world, bob, active, 'now')).seq).toBe(7);
  });

  it('[AM11, L8] rejects while too many bytes are staged', async () => {
    const { world, alice, bob, id } = await aConversation({ maxStagedBytes: 10_000 });
    world.hold = true;
    const first = watch(alice.call('post', text(id, 'x'.repeat(6000))));
    const second = watch(alice.call('post', text(id, 'x'.repeat(6000))));
    const third = watch(bob.call('post', text(id, 'x')));
    await world.settle();
    expect(third).toEqual(behind);
    expect(world.hub.health()).toMatchObject({ staged_units: 2, ready: true });
    expect(world.hub.health().staged_bytes).toBeGreaterThan(12_000);
    await releaseHold(world);
    expect([first.state, second.state]).toEqual(['answered', 'answered']);
    expect(world.hub.health()).toMatchObject({ staged_units: 0, staged_bytes: 0 });
    expect((await say(world, bob, id, 'x')).seq).toBe(7);
  });
});
