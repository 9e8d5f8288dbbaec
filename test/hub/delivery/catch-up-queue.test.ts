// Coming back, again and again, together, and not at all: what that costs, and whom.

import { expect, it } from 'vitest';
import type { Cursor } from '../../../src/core/ports/store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aConversation, aWorld, opened, say } from '../scene.ts';
import { SlowCursors, SlowLists } from '../slow-stores.ts';
import { CountingStore } from '../watched-stores.ts';

/** Who comes back is read for, beginning with its cursors. */
class CountedCursors extends SlowCursors {
  loads = 0;
  fails = false;

  override async loadCursors(agentId: string): Promise<readonly Cursor[]> {
    this.loads += 1;
    const cursors = await super.loadCursors(agentId);
    if (this.fails) throw new Error('bad sector');
    return cursors;
  }
}

async function named(world: World, count: number): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (let n = 0; n < count; n++) peers.push(await world.peer(`a${n}`));
  return peers;
}

function comeBack(world: World, name: string): Peer {
  const peer = world.stranger();
  peer.hello(name);
  return peer;
}

it('[DL15] who says hello again and again is read for once more, and is caught up', async () => {
  const store = new CountedCursors();
  const { world, alice, bob, id } = await aConversation({}, { store });
  bob.acks = false;
  await say(world, alice, id, 'five');
  const before = store.loads;
  for (let n = 0; n < 200; n++) bob.hello('bob');
  await world.settle();
  expect(store.loads - before).toBeLessThanOrEqual(2);
  expect(bob.seqs(id).at(-1)).toBe(5);
  await say(world, alice, id, 'six');
  expect(bob.seqs(id).at(-1)).toBe(6);
});

it('[DL15, BP6] others do not wait behind it', async () => {
  const store = new CountedCursors();
  const { world, alice, bob, id } = await aConversation({}, { store });
  bob.link.close();
  await world.settle();
  await say(world, alice, id, 'five');
  store.gate.close();
  for (let n = 0; n < 200; n++) alice.hello('alice');
  await world.settle();
  const again = comeBack(world, 'bob');
  await world.settle();
  store.gate.open();
  await world.settle();
  expect(again.seqs(id)).toEqual([5]);
});

it('[DL15, DL5] so many are caught up at a time, the others in turn; for who leaves before its turn nothing is read', async () => {
  const store = new CountedCursors();
  const world = await aWorld({}, { store });
  await named(world, 20);
  const before = store.loads;
  store.gate.close();
  const back = Array.from({ length: 20 }, (_, n) => comeBack(world, `a${n}`));
  await world.settle();
  expect(store.loads - before).toBe(8);
  for (const peer of back.slice(8, 18)) peer.link.close();
  await world.settle();
  store.gate.open();
  await world.settle();
  world.clock.advance(0);
  await world.settle();
  expect(store.loads - before).toBe(10);
});

it('[DL15, L8] a hub that was stopped reads for nobody who still waits, and complains of nothing', async () => {
  const store = new CountedCursors();
  const complaints: string[] = [];
  const complain = (text: string): void => void complaints.push(text);
  const world = await aWorld({}, { store, log: { info() {}, warn: complain, error: complain } });
  await named(world, 20);
  const before = store.loads;
  store.gate.close();
  for (let n = 0; n < 20; n++) comeBack(world, `a${n}`);
  await world.settle();
  await world.hub.stop();
  store.fails = true;
  store.gate.open();
  await world.settle();
  world.clock.advance(1000);
  await world.settle();
  expect([store.loads - before, complaints]).toEqual([8, []]);
});

it('[DL5, L8] who cannot be caught up is sent away, and has everything the next time', async () => {
  const store = new CountedCursors();
  const { world, alice, bob, id } = await aConversation({}, { store });
  bob.link.close();
  await world.settle();
  await say(world, alice, id, 'five');
  store.fails = true;
  const failed = comeBack(world, 'bob');
  await world.settle();
  expect(failed.frames.at(-1)).toEqual({ kind: 'goodbye', reason: 'shutdown', recipient_id: bob.agentId });
  expect(world.hub.health().bound).toBe(1);
  store.fails = false;
  const again = comeBack(world, 'bob');
  await world.settle();
  expect(again.seqs(id)).toEqual([5]);
});

it('[DL5, L5] what is said while the lists of who comes back are read reaches it, without waiting for more', async () => {
  const store = new SlowLists();
  const { world, alice, bob, id } = await aConversation({}, { store });
  bob.link.close();
  await world.settle();
  store.gate.close();
  const again = comeBack(world, 'bob');
  await world.settle();
  await say(world, alice, id, 'meanwhile');
  store.gate.open();
  await world.settle();
  expect(again.seqs(id)).toEqual([5]);
});

it('[DL5, DL15] streams of who is gone do not read when their turn comes', async () => {
  const store = new CountingStore();
  const world = await aWorld({}, { store });
  const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) ids.push(await opened(world, alice, [bob]));
  bob.link.close();
  await world.settle();
  for (const id of ids) await say(world, alice, id, 'five');
  world.hub.evictIdle();
  await world.settle();
  const before = store.counts.read;
  const again = comeBack(world, 'bob');
  // Sixteen streams read at a time; the others wait.
  for (let turn = 0; store.counts.read === before; turn++) {
    expect(turn).toBeLessThan(1000);
    await Promise.resolve();
    if (turn % 10 === 9) await new Promise((resolve) => setImmediate(resolve));
  }
  again.link.close();
  for (let turn = 0; turn < 20; turn++) await world.settle();
  expect(store.counts.read - before).toBeLessThanOrEqual(16);
});

it('[DL16] who had nothing in another epoch hears of no gap, and no gap is longer than a log can be', async () => {
  const { world, alice, bob, id } = await aConversation({ maxEnvelopes: 500 });
  bob.acks = false;
  await say(world, alice, id, 'five');
  const heardFrom = async (seq: number) => {
    const peer = world.stranger();
    peer.hello('bob', { [id]: { seq, epoch: 7 } });
    await world.settle();
    return peer.frames.slice(1);
  };
  expect(await heardFrom(0)).toMatchObject([{ kind: 'notify', envelope: { seq: 5 } }]);
  expect((await heardFrom(Number.MAX_SAFE_INTEGER))[0]).toMatchObject({ kind: 'gap', from_seq: 1, to_seq: 500 });
});
