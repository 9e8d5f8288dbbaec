import { describe, expect, it } from 'vitest';
import {
  aConversation,
  DAY,
  leap,
  leave,
  logOf,
  opened,
  recordEvents,
  refusal,
  refused,
  say,
  text,
  types,
} from '../scene.ts';
import { DamagedStore } from '../watched-stores.ts';

/** A session with four posts whose log is then damaged from seq 7 on. */
async function aDamaged(damage: (store: DamagedStore, id: string) => void) {
  const store = new DamagedStore();
  const { world, alice, bob, id } = await aConversation({}, { store });
  await leave(world, bob);
  for (const words of ['five', 'six', 'seven', 'eight']) await say(world, alice, id, words, { idempotency_key: words });
  await world.pass(1000);
  world.hub.evictIdle();
  damage(store, id);
  return { world, alice, id, store };
}

const known = (store: DamagedStore, id: string) => store.damageFrom(id, 7);
const hidden = (store: DamagedStore, id: string) => store.hideDamageFrom(id, 7);
const reason = 'corrupt: its log is damaged from seq 7 on; stop the hub and repair it (openStore, store.repair)';
const unavailable = (id: string) => ({
  code: 'unavailable',
  message: `session ${id} is unavailable: ${reason}`,
  details: { outcome: 'refused' },
});

describe.each([
  ['damage the store knows', known],
  ['damage the store finds on reading', hidden],
])('%s', (_, damage) => {
  it('[RC6] makes the session unavailable, and readable up to there', async () => {
    const { world, alice, id } = await aDamaged(damage);
    const told = recordEvents(world, 'sessionUnavailable');
    const answer = await world.answer(alice.call('get_session', { session_id: id }));
    expect(answer).toMatchObject({ session: { state: 'ACTIVE', head_seq: 6 }, unavailable: reason });
    expect(told).toEqual([{ session_id: id, reason }]);
    const { envelopes, head_seq } = await world.answer(alice.call('read_log', { session_id: id, from_seq: 5 }));
    expect([envelopes.map(({ seq }) => seq), head_seq]).toEqual([[5, 6], 6]);
    expect(world.hub.health().sessions).toMatchObject({ live: 0, unavailable: 1 });
  });

  it('[RC6, L7] rejects every append, as not_found for a non-participant', async () => {
    const { world, alice, id } = await aDamaged(damage);
    const before = logOf(world.store, id).length;
    const post = alice.call('post', text(id, 'nine'));
    expect(await refusal(world, post)).toEqual(unavailable(id));
    expect(await refusal(world, alice.call('close_session', { session_id: id }))).toEqual(unavailable(id));
    const carol = await world.peer('carol');
    await refused(world, carol.call('post', text(id, 'x')), 'not_found');
    expect(await say(world, alice, id, 'six', { idempotency_key: 'six' })).toMatchObject({ seq: 6, duplicate: true });
    expect(logOf(world.store, id)).toHaveLength(before);
    expect(world.hub.health().ready).toBe(true);
  });

  it('[RC6, L6] neither expires the session nor affects others', async () => {
    const { world, alice, id } = await aDamaged(damage);
    const bob = await world.peer('bob');
    const other = await opened(world, alice, [bob], { ttl: '1h' });
    await refusal(world, alice.call('post', text(id, 'nine')));
    await leap(world, 3 * DAY);
    expect(types(logOf(world.store, id)).at(-1)).toBe('msg.text');
    expect(types(logOf(world.store, other)).at(-1)).toBe('session.expired');
    expect((await world.answer(alice.call('unregister', {}))).agent_id).toBe(alice.agentId);
  });

  it('[RC6] leaves the entries before the damage to an absent participant', async () => {
    const { world, id } = await aDamaged(damage);
    const bob = await world.peer('bob');
    const reads = world.store.counts.read;
    await world.pass(3000);
    expect(bob.seqs(id)).toEqual([5, 6]);
    expect(world.store.counts.read).toBe(reads);
  });
});

describe('damage', () => {
  it('[RC6] from the first entry on makes every use fail', async () => {
    const { world, alice, id } = await aDamaged((store, session) => store.damageFrom(session, 1));
    const why = { code: 'unavailable', message: expect.stringContaining('damaged from seq 1 on') };
    expect(await refusal(world, alice.call('get_session', { session_id: id }))).toMatchObject(why);
    expect(await refusal(world, alice.call('post', text(id, 'x')))).toMatchObject(why);
    const bob = await world.peer('bob');
    expect(bob.seqs(id)).toEqual([]);
  });

  it('[RC6] met by a write rejects the post, and the next use reports it', async () => {
    const store = new DamagedStore();
    const { world, alice, id } = await aConversation({}, { store });
    await say(world, alice, id, 'five');
    store.damageFrom(id, 5);
    await refused(world, alice.call('post', text(id, 'six')), 'unavailable');
    expect((await world.answer(alice.call('get_session', { session_id: id }))).unavailable).toContain('seq 5');
    expect(world.hub.health().ready).toBe(true);
  });

  it('[RC6] found at the start leaves the session without deadlines', async () => {
    const { world } = await aDamaged(known);
    expect(world.hub.health().sessions.live).toBe(1);
    await world.crash();
    expect(world.hub.health().sessions.live).toBe(0);
    await leap(world, 3 * DAY);
    expect(world.hub.health()).toMatchObject({ ready: true, sessions: { live: 0, loaded: 0 } });
  });
});
