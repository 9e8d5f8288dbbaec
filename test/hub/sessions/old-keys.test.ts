import { describe, expect, it } from 'vitest';
import { keyHash } from '../../../src/core/records/session/keys.ts';
import { AcceptedKeys } from '../../../src/hub/sessions/accepted-keys.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { entry } from '../../support/sample-records.ts';
import { aConversation, foreignUnit, logOf, openGate, refused, releaseHold, text, watch } from '../scene.ts';
import { SlowReads } from '../slow-stores.ts';

/** A conversation with 40 keyed texts of alice; the last few are in memory, reading the others is slow. */
async function aLongOne() {
  const store = new SlowReads();
  const { world, alice, bob, id } = await aConversation({ tailLength: 2, snapshotLength: 8 }, { store });
  for (let i = 5; i < 45; i++) void alice.call('post', text(id, `m${i}`, { idempotency_key: `k${i}` }));
  await world.settle();
  store.gate.close();
  return { world, alice, bob, id, store };
}

const textsOf = (world: World, id: string) => logOf(world.store, id).map(({ event_data }) => event_data.text);
const ask = (peer: Peer, id: string, words: string, key?: string) =>
  watch(peer.call('post', text(id, words, key === undefined ? {} : { idempotency_key: key })));

/** A session whose key "other" has the hash of k7. */
async function aCollision() {
  const scene = await aLongOne();
  const { world, alice, id, store } = scene;
  store.gate.open();
  world.hub.evictIdle();
  const snapshot = await store.loadSnapshot(id);
  const body = snapshot?.body as { readonly keys: readonly number[] } | undefined;
  if (snapshot === null || body === undefined) throw new Error('there is no snapshot');
  store.saveSnapshot({ ...snapshot, body: { ...body, keys: [...body.keys, keyHash(alice.agentId, 'other'), 7] } });
  return scene;
}

describe('an old key', () => {
  it('[RC5, OP3] is looked up in the log while later requests wait in order', async () => {
    const { world, alice, id, store } = await aLongOne();
    const asked = [
      ask(alice, id, 'a'),
      ask(alice, id, 'm7', 'k7'),
      ask(alice, id, 'b'),
      ask(alice, id, 'c'),
      ask(alice, id, 'm9', 'k9'),
      ask(alice, id, 'd'),
      watch(alice.call('close_session', { session_id: id })),
    ];
    await world.settle();
    expect(asked.map(({ state }) => state)).toEqual(['answered', 'open', 'open', 'open', 'open', 'open', 'open']);
    await openGate(world, store);
    expect(asked.map(({ state }) => state)).toEqual(Array(7).fill('answered'));
    expect(asked.slice(0, 6).map(({ value }) => value)).toMatchObject([
      { seq: 45 },
      { seq: 7, duplicate: true },
      { seq: 46 },
      { seq: 47 },
      { seq: 9, duplicate: true },
      { seq: 48 },
    ]);
    expect(textsOf(world, id).slice(44, 48)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('[RC5] that is new, staged or recent is judged immediately', async () => {
    const { world, alice, id } = await aLongOne();
    const asked = [ask(alice, id, 'new', 'n1'), ask(alice, id, 'new', 'n1'), ask(alice, id, 'm44', 'k44')];
    await world.settle();
    expect(asked.map(({ value }) => value)).toMatchObject([
      { seq: 45 },
      { seq: 45, duplicate: true },
      { seq: 44, duplicate: true },
    ]);
  });

  it('[RC5, L8] that cannot be read fails its post, and later ones continue', async () => {
    const { world, alice, id, store } = await aLongOne();
    store.failures = 1;
    const asked = [ask(alice, id, 'm7', 'k7'), ask(alice, id, 'b')];
    await openGate(world, store);
    expect(asked[0]).toEqual({ state: 'refused', value: { code: 'unavailable', details: { outcome: 'refused' } } });
    expect(asked[1]).toMatchObject({ state: 'answered', value: { seq: 45 } });
    expect(await world.answer(alice.call('post', text(id, 'm7', { idempotency_key: 'k7' })))).toMatchObject({ seq: 7 });
  });

  it('[RC5, L5] is not confused with another key of the same hash', async () => {
    const { world, alice, id } = await aCollision();
    const asked = [ask(alice, id, 'x', 'other'), ask(alice, id, 'y'), ask(alice, id, 'x', 'other')];
    await world.settle();
    expect(asked.map(({ value }) => value)).toMatchObject([{ seq: 45 }, { seq: 46 }, { seq: 45, duplicate: true }]);
    expect(await world.answer(alice.call('post', text(id, 'm7', { idempotency_key: 'k7' })))).toMatchObject({ seq: 7 });
  });

  it('[RC5, OP3] that is read after another keeps later requests waiting too', async () => {
    const { world, alice, id, store } = await aCollision();
    await world.answer(alice.call('get_session', { session_id: id }));
    store.gate.close();
    const asked = [ask(alice, id, 'm9', 'k9'), ask(alice, id, 'x', 'other'), ask(alice, id, 'y')];
    await world.settle();
    await openGate(world, store);
    expect(asked.map(({ value }) => value)).toMatchObject([{ seq: 9, duplicate: true }, { seq: 45 }, { seq: 46 }]);
  });

  it('[RC5, OP3] keeps its session in memory while it is read', async () => {
    const { world, alice, id, store } = await aLongOne();
    const asked = ask(alice, id, 'm7', 'k7');
    await world.settle();
    world.hub.evictIdle();
    expect(world.hub.health().sessions.loaded).toBe(1);
    await openGate(world, store);
    expect(asked).toMatchObject({ state: 'answered', value: { seq: 7, duplicate: true } });
    world.hub.evictIdle();
    expect(world.hub.health().sessions.loaded).toBe(0);
  });

  it('[RC5, L5] that is staged is known, however many are staged after it', async () => {
    const { world, alice, id, store } = await aLongOne();
    store.gate.open();
    world.hold = true;
    const staged = Array.from({ length: 20 }, (_, i) => ask(alice, id, `n${i}`, `s${i}`));
    await world.settle();
    store.sync(1);
    await world.settle();
    expect(staged.map(({ state }) => state)).toEqual(['answered', ...Array(19).fill('open')]);
    const repeat = ask(alice, id, 'n3', 's3');
    await releaseHold(world);
    expect(repeat).toMatchObject({ state: 'answered', value: { seq: 48, duplicate: true } });
    expect(textsOf(world, id)).toHaveLength(64);
  });

  it('[RC5, AM9] that another writer used meanwhile is found, however much it wrote', async () => {
    const { world, alice, id, store } = await aLongOne();
    store.gate.open();
    world.hold = true;
    const staged = ask(alice, id, 'mine', 'theirs');
    await world.settle();
    const drafts = Array.from({ length: 30 }, (_, i) => ({
      sender_id: alice.agentId,
      event_data: { text: `f${i}` },
      idempotency_key: i === 3 ? 'theirs' : `f${i}`,
    }));
    store.foreignAppend(id, foreignUnit(world, id, ...drafts));
    await releaseHold(world);
    expect(staged).toMatchObject({ state: 'refused', value: { code: 'duplicate', details: { seq: 48 } } });
    expect(logOf(store, id)).toHaveLength(74);
    const repeat = alice.call('post', text(id, 'f1', { idempotency_key: 'other' }));
    expect(await world.answer(repeat)).toMatchObject({ seq: 75 });
    const other = alice.call('post', text(id, 'else', { idempotency_key: 'f2' }));
    await refused(world, other, 'duplicate', { seq: 47 });
  });

  it('[RC5] keeps all keys of one hash, in numbers that survive', () => {
    const keys = AcceptedKeys.from([5, 1, 6, 2, 5, 3]);
    keys.add([entry({ seq: 4, idempotency_key: 'k' }), entry({ seq: 5, idempotency_key: 'k' })]);
    const copy = AcceptedKeys.from(keys.flat(5));
    expect(copy.flat(5)).toEqual([5, 1, 5, 3, 6, 2, keyHash('alice', 'k'), 4, keyHash('alice', 'k'), 5]);
    expect(copy.placesOf('alice', 'k')).toEqual([4, 5]);
    expect(copy.placesOf('bob', 'k')).toEqual([]);
    copy.add([entry({ seq: 6, idempotency_key: 'k' })]);
    expect(copy.placesOf('alice', 'k')).toEqual([4, 5, 6]);
  });

  it('[RC5] is forgotten when its entry is dropped, and left out of snapshots until it is durable', () => {
    const [first, second] = [entry({ seq: 1, idempotency_key: 'k' }), entry({ seq: 2, idempotency_key: 'k' })];
    const keys = AcceptedKeys.from([]);
    keys.add([first, second]);
    expect(keys.flat(1)).toEqual([keyHash('alice', 'k'), 1]);
    expect(keys.flat(0)).toEqual([]);
    keys.drop([second]);
    expect(keys.placesOf('alice', 'k')).toEqual([1]);
    keys.drop([first]);
    expect(keys.placesOf('alice', 'k')).toEqual([]);
    keys.add([first]);
    keys.drop([first, second]);
    expect(keys.flat(2)).toEqual([]);
    const others = AcceptedKeys.from([]);
    others.add([second]);
    expect([others.flat(1), others.flat(2)]).toEqual([[], [keyHash('alice', 'k'), 2]]);
  });
});
