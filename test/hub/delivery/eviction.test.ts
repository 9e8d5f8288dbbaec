import { describe, expect, it } from 'vitest';
import type { HubFrame } from '../../../src/core/protocol/frames/frames.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, aConversation, aWorld, invited, logOf, opened, rebind, SECOND, say, text } from '../scene.ts';

describe('eviction', () => {
  /** Runs a full scenario, with `between` after each step. */
  async function life(between: (world: World) => Promise<void>): Promise<unknown> {
    const world = await aWorld({ tailLength: 3, window: 4 });
    const peers = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')];
    const [alice, bob, carol] = peers as [Peer, Peer, Peer];
    const answers: unknown[] = [];
    const step = async (call: Promise<unknown>) => {
      answers.push(
        await world.answer(call).catch(({ code, details }: { code: string; details: unknown }) => [code, details]),
      );
      await between(world);
    };
    const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1, idempotency_key: 'c' });
    await between(world);
    await step(bob.call('ack_invite', { session_id: id }));
    for (let i = 0; i < 8; i++) await step(alice.call('post', text(id, `m${i}`, { idempotency_key: `k${i}` })));
    await step(carol.call('ack_invite', { session_id: id }));
    await step(carol.call('post', text(id, 'psst', { audience: [bob.agentId] })));
    await step(alice.call('post', text(id, 'm0', { idempotency_key: 'k0' })));
    await step(alice.call('post', text(id, 'x', { expected_seq: 3 })));
    bob.acks = false;
    await step(alice.call('post', text(id, 'nack me')));
    bob.receipt(id, bob.seqs(id).at(-1) ?? 0, 'nack');
    await world.settle();
    await between(world);
    await world.pass(SECOND);
    await between(world);
    await step(bob.call('can_send', { session_id: id }));
    await step(bob.call('read_log', { session_id: id, reverse: true }));
    const again = await rebind(world, 'bob');
    await between(world);
    await step(carol.call('close_session', { session_id: id }));
    await world.pass(5 * SECOND);
    await between(world);
    await step(carol.call('get_session', { session_id: id }));
    await step(
      alice.call('create_session', {
        type: 'panel',
        participants: [bob.agentId, carol.agentId],
        required_acks: 1,
        idempotency_key: 'c',
        wait: 'created',
      }),
    );
    const frames = [...peers, again].map((peer): readonly HubFrame[] => peer.frames);
    return { answers, frames, log: logOf(world.store, id) };
  }

  it('[L3] between any two steps has no observable effect', async () => {
    const undisturbed = await life(async () => {});
    const evicted = await life(async (world) => {
      world.hub.evictIdle();
      expect(world.hub.health().sessions.loaded).toBe(0);
    });
    expect(evicted).toEqual(undisturbed);
  });

  it('[L8] keeps at most maxLoadedSessions, and no ended session', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob'], { maxLoadedSessions: 2 });
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await opened(world, alice, [bob]));
    expect(world.hub.health().sessions).toMatchObject({ live: 5, loaded: 5 });
    world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 5, loaded: 2 });
    for (const id of ids) expect((await say(world, alice, id, 'x')).seq).toBe(5);
    await world.answer(alice.call('close_session', { session_id: ids[4] ?? '' }));
    world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 4, loaded: 1 });
  });

  it('[L8] evicts an ended session that was idle for long', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const [id, other] = [await opened(world, alice, [bob]), await opened(world, alice, [bob])];
    for (let i = 0; i < 3; i++) world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 2, loaded: 2 });
    await world.answer(alice.call('close_session', { session_id: id }));
    world.hub.sweep();
    expect(world.hub.health().sessions).toMatchObject({ live: 1, loaded: 1 });
    // Reading it loads it again until the next sweep.
    await world.answer(alice.call('get_session', { session_id: id }));
    expect(world.hub.health().sessions.loaded).toBe(2);
    world.hub.sweep();
    expect(world.hub.health().sessions.loaded).toBe(1);
    expect((await say(world, alice, other, 'x')).seq).toBe(5);
  });

  it('[L1] spares sessions with staged entries or waiting callers', async () => {
    const { world, alice, bob, id } = await aConversation();
    bob.acks = false;
    world.hold = true;
    const post = alice.call('post', text(id, 'held'));
    await world.settle();
    world.hub.evictIdle();
    expect(world.hub.health().sessions.loaded).toBe(1);
    world.hold = false;
    expect((await world.answer(post)).seq).toBe(5);
    const closed = alice.call('close_session', { session_id: id, wait: 'closed' });
    await world.settle();
    world.hub.evictIdle();
    await world.pass(5 * SECOND);
    expect((await closed).state).toBe('CLOSED');
  });
});
