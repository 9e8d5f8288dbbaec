import { describe, expect, it } from 'vitest';
import { FaultyStore } from '../../src/testing/doubles/faulty-store.ts';
import type { Peer } from '../../src/testing/doubles/peer.ts';
import type { World } from '../../src/testing/doubles/world.ts';
import { roomsOf } from './rooms-of.ts';
import {
  aCast,
  aWorld,
  DAY,
  HOUR,
  invited,
  leap,
  leave,
  logOf,
  MINUTE,
  opened,
  openGate,
  releaseHold,
  say,
  sessionOf,
  standing,
  types,
} from './scene.ts';
import { SlowLists } from './slow-stores.ts';
import { CountingStore } from './watched-stores.ts';

/** Creates many sessions with one participant. */
async function many(world: World, creator: Peer, count: number, ttl: string | number): Promise<readonly string[]> {
  const calls: Promise<string>[] = [];
  for (let i = 0; i < count; i++) {
    const params = { type: 'monologue', participants: [creator.agentId], wait: 'created', ttl } as const;
    calls.push(creator.call('create_session', params).then(({ session }) => session.session_id));
    if (i % 50 === 49) await world.settle();
  }
  await world.settle();
  return Promise.all(calls);
}

const ends = (world: World, ids: readonly string[]) =>
  ids.filter((id) => logOf(world.store, id).at(-1)?.event_type === 'session.expired').length;

describe('a start', () => {
  it('[RC1] reads no head, list or log of any session, however many there are', async () => {
    const { world, alice } = await aCast(['alice'], { maxOpenRequests: 1000 }, { store: new CountingStore() });
    await many(world, alice, 500, '1h');
    const closed = await many(world, alice, 100, '1h');
    for (const session_id of closed) void alice.call('close_session', { session_id });
    await world.settle();
    await world.crash();
    const { asked } = world.store as CountingStore;
    expect({ heads: asked.heads, lists: asked.lists }).toEqual({ heads: 0, lists: 0 });
    expect(world.hub.health().sessions).toEqual({ live: 500, loaded: 0, unavailable: 0 });
  });

  it('[RC1, RE4] creates ids later than every stored one, ended sessions included', async () => {
    const { world, alice } = await aCast(['alice']);
    world.clock.jump(HOUR);
    const [id = ''] = await many(world, alice, 1, '2h');
    await world.answer(alice.call('close_session', { session_id: id }));
    const newest = logOf(world.store, id).at(-1)?.envelope_id ?? '';
    world.clock.jump(-HOUR);
    await world.crash();
    const again = await world.peer('alice');
    const [next = ''] = await many(world, again, 1, '2h');
    expect((logOf(world.store, next)[0]?.envelope_id ?? '') > newest).toBe(true);
  });

  it('[RC1, LC7] ends a session that was closing and awaits no ack', async () => {
    const world = await aWorld();
    const [alice, bob] = [await world.peer('alice'), world.stranger()];
    bob.hello('bob');
    void bob.ask('register', { name: 'bob' });
    await world.settle();
    const id = await opened(world, alice, [bob], { drain_timeout: '1h' });
    await world.answer(alice.call('close_session', { session_id: id }));
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.closing');
    await world.crash();
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.closed');
  });

  it('[RC1, LC7] ends a closing session with the last ack', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    bob.acks = false;
    const id = await opened(world, alice, [bob], { drain_timeout: '1h' });
    const calls = alice.call('close_session', { session_id: id });
    await world.answer(calls);
    world.hold = true;
    await world.crash();
    const back = world.stranger();
    back.hello('bob');
    await world.settle();
    await releaseHold(world);
    back.acks = true;
    for (const { envelope } of back.notifies(id)) back.receipt(id, envelope.seq);
    await world.settle();
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.closed');
  });
});

describe('many deadlines at once', () => {
  it('[RC2] are handled in portions after one sweep, and leave nothing in memory', async () => {
    const { world, alice } = await aCast(['alice'], {}, { store: new CountingStore() });
    const ids = await many(world, alice, 700, '1h');
    await world.crash();
    const counting = world.store as CountingStore;
    world.clock.advance(3 * HOUR);
    world.hub.sweep();
    for (let i = 0; i < 10; i++) {
      for (let turns = 0; turns < 8; turns++) await world.settle();
      world.clock.advance(1);
    }
    expect(ends(world, ids)).toBe(700);
    expect(counting.most).toBe(128);
    expect(world.hub.health().sessions).toEqual({ live: 0, loaded: 0, unavailable: 0 });
  });

  it('[RC2, L6] retry one whose log cannot be read, without delaying others', async () => {
    class Failing extends FaultyStore {
      bad: string | null = null;

      override async head(sessionId: string): ReturnType<FaultyStore['head']> {
        if (sessionId === this.bad) throw new Error('bad sector');
        return super.head(sessionId);
      }
    }
    const store = new Failing();
    const { world, alice } = await aCast(['alice'], {}, { store });
    const ids = await many(world, alice, 300, '1h');
    world.hub.evictIdle();
    store.bad = ids[0] ?? null;
    await leap(world, 2 * HOUR);
    await world.pass(3000);
    expect(ends(world, ids)).toBe(299);
    store.bad = null;
    await world.pass(1000);
    expect(ends(world, ids)).toBe(300);
  });

  it('[RC2, LC10] check a session without ttl only while a member is bound, and expire it a day after the last left', async () => {
    const { world, alice } = await aCast(['alice'], {}, { store: new CountingStore() });
    const [id = ''] = await many(world, alice, 1, 0);
    world.hub.evictIdle();
    await leap(world, 30 * HOUR);
    expect((await sessionOf(world, alice, id)).state).toBe('ACTIVE');
    await leave(world, alice);
    await leap(world, DAY - MINUTE);
    expect(types(logOf(world.store, id)).at(-1)).toBe('session.opened');
    await leap(world, MINUTE);
    expect(logOf(world.store, id).at(-1)).toMatchObject({
      event_type: 'session.expired',
      event_data: { reason: 'orphaned' },
    });
  });
});

describe('changes while a binding reads its lists', () => {
  it('[DL5, DL8] are delivered: sessions created, opened and posted to', async () => {
    const store = new SlowLists();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const before = await opened(world, alice, [bob]);
    await leave(world, bob);
    store.gate.close();
    const back = world.stranger();
    back.acks = true;
    back.hello('bob');
    await world.settle();
    await say(world, alice, before, 'five');
    const created = await invited(world, alice, [bob]);
    const joined = await invited(world, alice, [bob]);
    await world.answer(back.call('ack_invite', { session_id: joined }));
    await say(world, alice, joined, 'hello');
    expect(back.notifies()).toEqual([]);
    await openGate(world, store);
    expect(back.seqs(before)).toEqual([5]);
    expect(back.seqs(joined)).toEqual([4, 5]);
    expect(back.notifies(created).map(({ envelope }) => envelope.event_type)).toEqual(['session.invite']);
    await say(world, alice, joined, 'more');
    expect(back.seqs(joined)).toEqual([4, 5, 6]);
  });

  it('[DL2, DL5] are not delivered again: sessions acked, written and evicted', async () => {
    const store = new SlowLists();
    const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
    const id = await opened(world, alice, [bob]);
    await world.pass(1000);
    await world.answer(alice.call('close_session', { session_id: id, wait: 'closed' }));
    const heard = bob.seqs(id);
    store.gate.close();
    bob.hello('bob');
    await world.settle();
    await world.pass(2000);
    await openGate(world, store);
    expect(bob.seqs(id)).toEqual(heard);
  });
});

describe('a child and its parent', () => {
  it('[LC11] closes a child that becomes durable after its parent ended', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const parent = await invited(world, alice, [bob]);
    world.hold = true;
    const params = { type: 'conversation', participants: ['bob'], wait: 'created', parent_session_id: parent } as const;
    const closing = alice.call('close_session', { session_id: parent });
    const child = alice.call('create_session', params);
    await world.settle();
    expect(world.store.stagedUnits()).toBe(2);
    world.store.sync(1);
    await closing;
    await world.settle();
    world.hub.evictIdle();
    world.hold = false;
    const { session } = await world.answer(child);
    expect(await standing(world, alice, session.session_id)).toMatch(/^CLOSED \(parent_closed\)/);
  });

  it('[LC11] closes children that are not loaded with their parent, even after a restart', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const parent = await opened(world, alice, [bob], { ttl: '1h' });
    const children = [
      await opened(world, alice, [bob], { parent_session_id: parent, ttl: '10h' }),
      await invited(world, alice, [bob], { parent_session_id: parent, invite_timeout: '10h', ttl: '10h' }),
    ];
    await world.crash();
    await leap(world, 2 * HOUR);
    await world.pass(6000);
    expect(children.map((id) => logOf(world.store, id).at(-1)?.event_data.reason)).toEqual([
      'parent_closed',
      'parent_closed',
    ]);
    expect(world.hub.health().sessions.live).toBe(0);
  });
});

describe('create keys', () => {
  it('[AM12] are found in the store after a restart, and for ended sessions', async () => {
    const { world, alice } = await aCast(['alice']);
    const params = { type: 'monologue', participants: ['alice'], wait: 'created', idempotency_key: 'k' } as const;
    const first = (await world.answer(alice.call('create_session', params))).session.session_id;
    await world.answer(alice.call('close_session', { session_id: first, wait: 'closed' }));
    await world.crash();
    const back = await world.peer('alice');
    const repeat = await world.answer(back.call('create_session', params));
    expect(repeat).toMatchObject({ session: { session_id: first }, duplicate: true });
    await leap(world, DAY);
    expect((await world.answer(back.call('create_session', params))).duplicate).toBeUndefined();
  });

  it('[AM12] make concurrent equal requests one session', async () => {
    const { world, alice } = await aCast(['alice'], {}, { store: new CountingStore() });
    const params = { type: 'monologue', participants: ['alice'], wait: 'created', idempotency_key: 'k' } as const;
    const calls = Array.from({ length: 5 }, () => alice.call('create_session', params));
    for (let i = 0; i < 10; i++) await world.settle();
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ session }) => session.session_id)).size).toBe(1);
    expect(answers.map(({ duplicate }) => duplicate ?? false)).toEqual([false, true, true, true, true]);
  });
});

describe('an idle session', () => {
  it('[RC4, L2] drops what can be read again, and continues as before', async () => {
    const { world, alice, bob } = await aCast(['alice', 'bob']);
    const id = await opened(world, alice, [bob]);
    await say(world, alice, id, 'five', { idempotency_key: 'k5' });
    await leave(world, bob);
    await say(world, alice, id, 'six', { idempotency_key: 'k6' });
    await world.pass(3000);
    expect(roomsOf(world.hub).sessions.peek(id)?.tailFrom(1)).toBeNull();
    expect(await say(world, alice, id, 'five', { idempotency_key: 'k5' })).toMatchObject({ seq: 5, duplicate: true });
    const back = await world.peer('bob');
    await say(world, alice, id, 'seven');
    expect(back.seqs(id)).toEqual([6, 7]);
  });
});
