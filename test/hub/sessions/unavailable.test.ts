import { conversation } from 'parley-hub/adapters/conversation';
import type { SessionAdapter } from 'parley-hub/core';
import { describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import { World, type WorldOptions } from '../../../src/testing/doubles/world.ts';
import { type PanelState, panel } from '../panel.ts';
import {
  aCast,
  aWorld,
  DAY,
  EXPECTATIONS,
  invited,
  leap,
  logOf,
  MINUTE,
  opened,
  rebind,
  recordEvents,
  refusal,
  refused,
  say,
  standing,
  text,
  types,
} from '../scene.ts';

/** The same disk under a hub with other adapters. */
async function reopened(world: World, adapters: WorldOptions['adapters']): Promise<World> {
  const kept = () => true;
  const store = world.store.crash(kept, kept);
  return World.start({ adapters, ...EXPECTATIONS, store, clock: world.clock, seed: 99 });
}

/** alice and bob in a panel whose adapter is no longer registered. */
async function orphaned(more: Parameters<typeof opened>[3] = {}) {
  const before = await aWorld();
  const peers = [await before.peer('alice'), await before.peer('bob'), await before.peer('carol')] as const;
  const id = await opened(before, peers[0], [peers[1]], { type: 'panel', ...more });
  const invite = await invited(before, peers[0], [peers[1]], { type: 'panel', invite_timeout: '10m' });
  await say(before, peers[0], id, 'hello', { idempotency_key: 'k' });
  await before.pass(1000);
  const world = await reopened(before, [conversation]);
  return { world, alice: await world.peer('alice'), bob: await world.peer('bob'), id, invite };
}

const get = (world: World, peer: Peer, session_id: string) => world.answer(peer.call('get_session', { session_id }));
const reason = 'adapter panel version 1 is not registered; register it with hub.register or createHub({adapters})';

describe('a session whose adapter is missing', () => {
  it('[LC13] can be read and reports why it is unavailable', async () => {
    const { world, alice, bob, id } = await orphaned();
    const told = recordEvents(world, 'sessionUnavailable');
    world.hub.evictIdle();
    expect(await get(world, alice, id)).toMatchObject({
      session: { state: 'ACTIVE', head_seq: 5, knobs: { topic: 'anything' } },
      turn: null,
      unavailable: reason,
    });
    expect(told).toEqual([{ session_id: id, reason }]);
    const { envelopes } = await world.answer(bob.call('read_log', { session_id: id }));
    expect(types(envelopes)).toEqual(['session.opened', 'msg.text']);
    expect((await world.answer(bob.call('list_sessions', { type: 'panel' }))).sessions).toHaveLength(2);
    expect(world.hub.health().sessions).toMatchObject({ live: 2, unavailable: 1 });
    expect((await world.hub.audit()).at(-1)).toMatchObject({ kind: 'session_unavailable', detail: { reason } });
  });

  it('[LC13, AM1] rejects posts as unavailable after the other checks, and answers repeated keys', async () => {
    const { world, alice, bob, id } = await orphaned();
    expect(await refusal(world, alice.call('post', text(id, 'x')))).toEqual({
      code: 'unavailable',
      message: `session ${id} is unavailable: ${reason}`,
      details: { outcome: 'refused' },
    });
    await refused(world, alice.call('post', text(id, 'x', { expected_seq: 1 })), 'conflict');
    expect(await world.answer(bob.call('can_send', { session_id: id }))).toMatchObject({
      can: false,
      code: 'unavailable',
    });
    expect(await say(world, alice, id, 'hello', { idempotency_key: 'k' })).toMatchObject({ seq: 5, duplicate: true });
    expect(logOf(world.store, id)).toHaveLength(5);
  });

  it('[LC13, DL5] is still delivered, and its invites can be answered', async () => {
    const { world, bob, id, invite } = await orphaned();
    expect(bob.seqs(id)).toEqual([]);
    const again = await rebind(world, 'bob');
    expect(again.notifies(invite)).toMatchObject([{ prev_seq: null }]);
    await world.answer(again.call('reject_invite', { session_id: invite }));
    expect(types(logOf(world.store, invite)).at(-1)).toBe('session.closed');
  });

  it('[LC13] can be closed, and drains', async () => {
    const { world, alice, bob, id } = await orphaned();
    await world.answer(bob.call('close_session', { session_id: id, wait: 'closed', reason: 'done' }));
    expect(await standing(world, alice, id)).toBe('CLOSED (done): alice active, bob active');
  });

  it('[LC13, LC9, L6] expires in time, even with nobody connected', async () => {
    const { world, alice, bob, id } = await orphaned({ ttl: '30m' });
    alice.link.close();
    bob.link.close();
    await leap(world, 31 * MINUTE);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.expired');
    const other = await orphaned({ ttl: 0 });
    other.alice.link.close();
    other.bob.link.close();
    await other.world.settle();
    await leap(other.world, DAY);
    expect(types(logOf(other.world.store, other.id)).at(-1)).toBe('session.expired');
  });

  it('[LC13] becomes available with its state when the adapter is registered', async () => {
    const { world, alice, bob, id } = await orphaned();
    await get(world, alice, id);
    world.hub.register(panel);
    expect((await get(world, alice, id)).unavailable).toBe(null);
    expect((await say(world, bob, id, 'back again')).seq).toBe(7);
    expect(types(logOf(world.store, id)).slice(-3)).toEqual(['msg.text', 'session.available', 'msg.text']);
    expect(world.hub.health().sessions.unavailable).toBe(0);
    expect(() => world.hub.register(panel)).toThrow('adapter panel version 1 is registered already');
  });

  it('[LC13] does not use a newer version of its adapter', async () => {
    const { world, alice, id } = await orphaned();
    world.hub.register({ ...panel, manifest: { ...panel.manifest, version: 2 } });
    expect((await get(world, alice, id)).unavailable).toBe(reason);
  });

  it('[LC13, RE8] keeps the version chosen at creation, by default the newest', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const first = await invited(world, alice, [bob], { type: 'panel' });
    world.hub.register({ ...panel, manifest: { ...panel.manifest, version: 10 } });
    world.hub.register({ ...panel, manifest: { ...panel.manifest, version: 9 } });
    const second = await invited(world, alice, [bob], { type: 'panel' });
    const third = await invited(world, alice, [bob], { type: 'panel', version: 1 });
    const versions = await Promise.all(
      [first, second, third].map(async (id) => (await get(world, alice, id)).session.manifest.version),
    );
    expect(versions).toEqual([1, 10, 1]);
  });

  it('[LC13, LC12] can be left by unregistering', async () => {
    const { world, alice, bob, id } = await orphaned();
    await world.answer(bob.call('unregister', {}));
    expect(await standing(world, alice, id)).toMatch(/\(below_minimum\): alice active, bob removed$/);
  });
});

describe('a log that its adapter cannot fold', () => {
  const broken: SessionAdapter<PanelState> = {
    ...panel,
    fold(envelope, state, metadata) {
      if (envelope.event_type === 'msg.text') throw new Error('not today');
      return panel.fold(envelope, state, metadata);
    },
  };

  it('[LC13, L8] is unavailable with seq and reason, and others run', async () => {
    const before = await aWorld();
    const [alice, bob] = [await before.peer('alice'), await before.peer('bob')];
    const id = await opened(before, alice, [bob], { type: 'panel' });
    await say(before, alice, id, 'hello');
    const other = await opened(before, alice, [bob]);
    const world = await reopened(before, [conversation, broken]);
    const again = await world.peer('alice');
    expect((await get(world, again, id)).unavailable).toBe('folding its log failed: seq 5: not today');
    await refused(world, again.call('post', text(id, 'x')), 'unavailable');
    expect((await say(world, again, other, 'fine')).seq).toBe(5);
    await world.answer(again.call('close_session', { session_id: id }));
    expect(types(logOf(world.store, id)).slice(-2)).toEqual(['session.closing', 'session.closed']);
  });

  it('[L3] is unchanged after a restart with its former adapter', async () => {
    const before = await aWorld();
    const [alice, bob] = [await before.peer('alice'), await before.peer('bob')];
    const id = await opened(before, alice, [bob], { type: 'panel' });
    await say(before, alice, id, 'hello');
    const live = await get(before, alice, id);
    const away = await reopened(before, [conversation, broken]);
    await get(away, await away.peer('alice'), id);
    const world = await reopened(away, [conversation, panel]);
    expect(await get(world, await world.peer('alice'), id)).toEqual(live);
  });
});

describe('an invalid adapter', () => {
  it('[RE8, AD1] is rejected at the start, naming the field', async () => {
    const world = await aWorld();
    const adapters = [{ ...panel, manifest: { ...panel.manifest, version: 0 } }];
    const { store, clock, ids } = world;
    await expect(Hub.start({ store, clock, ids, adapters })).rejects.toThrow('manifest.version');
  });
});
