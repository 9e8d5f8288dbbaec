// Catching up bindings: repeated, concurrent, failing.

import { expect, it } from 'vitest';
import type { Cursor } from '../../../src/core/ports/store.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, aConversation, aWorld, leave, opened, openGate, rebind, say } from '../scene.ts';
import { SlowCursors, SlowLists } from '../slow-stores.ts';
import { CountingStore } from '../watched-stores.ts';

/** Counts catch-ups: each begins with a load of cursors. */
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

it('[DL15] reads once more for repeated hellos and catches the agent up', async () => {
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

it('[DL15, BP6] does not delay others behind repeated hellos', async () => {
  const store = new CountedCursors();
  const { world, alice, bob, id } = await aConversation({}, { store });
  await leave(world, bob);
  await say(world, alice, id, 'five');
  store.gate.close();
  for (let n = 0; n < 200; n++) alice.hello('alice');
  await world.settle();
  const again = await rebind(world, 'bob');
  await openGate(world, store);
  expect(again.seqs(id)).toEqual([5]);
});

it('[DL15, DL5] catches up 8 agents at a time, in order, and reads nothing for agents that left', async () => {
  const store = new CountedCursors();
  const world = await aWorld({}, { store });
  await named(world, 20);
  const before = store.loads;
  store.gate.close();
  const back = await Promise.all(Array.from({ length: 20 }, (_, n) => rebind(world, `a${n}`)));
  expect(store.loads - before).toBe(8);
  for (const peer of back.slice(8, 18)) await leave(world, peer);
  await openGate(world, store);
  world.clock.advance(0);
  await world.settle();
  expect(store.loads - before).toBe(10);
});

it('[DL15, L8] reads nothing for waiting agents after stop, and logs no errors', async () => {
  const store = new CountedCursors();
  const complaints: string[] = [];
  const complain = (text: string): void => void complaints.push(text);
  const world = await aWorld({}, { store, log: { info() {}, warn: complain, error: complain } });
  await named(world, 20);
  const before = store.loads;
  store.gate.close();
  await Promise.all(Array.from({ length: 20 }, (_, n) => rebind(world, `a${n}`)));
  await world.hub.stop();
  store.fails = true;
  await openGate(world, store);
  world.clock.advance(1000);
  await world.settle();
  expect([store.loads - before, complaints]).toEqual([8, []]);
});

it('[DL5, L8] unbinds an agent that cannot be caught up and delivers everything at its next bind', async () => {
  const store = new CountedCursors();
  const { world, alice, bob, id } = await aConversation({}, { store });
  await leave(world, bob);
  await say(world, alice, id, 'five');
  store.fails = true;
  const failed = await rebind(world, 'bob');
  expect(failed.frames.at(-1)).toEqual({ kind: 'goodbye', reason: 'shutdown', recipient_id: bob.agentId });
  expect(world.hub.health().bound).toBe(1);
  store.fails = false;
  const again = await rebind(world, 'bob');
  expect(again.seqs(id)).toEqual([5]);
});

it('[DL5, L5] delivers a post made while the agent’s session lists are read', async () => {
  const store = new SlowLists();
  const { world, alice, bob, id } = await aConversation({}, { store });
  await leave(world, bob);
  store.gate.close();
  const again = await rebind(world, 'bob');
  await say(world, alice, id, 'meanwhile');
  await openGate(world, store);
  expect(again.seqs(id)).toEqual([5]);
});

it('[DL5, DL15] does not read for streams of an agent that left', async () => {
  const store = new CountingStore();
  const { world, alice, bob } = await aCast(['alice', 'bob'], {}, { store });
  const ids: string[] = [];
  for (let n = 0; n < 40; n++) ids.push(await opened(world, alice, [bob]));
  await leave(world, bob);
  for (const id of ids) await say(world, alice, id, 'five');
  world.hub.evictIdle();
  await world.settle();
  const before = store.counts.read;
  const again = world.stranger();
  again.hello('bob');
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

it('[DL16] sends no gap to an agent that had nothing, and none longer than a log can be', async () => {
  const { world, alice, bob, id } = await aConversation({ maxEnvelopes: 500 });
  bob.acks = false;
  await say(world, alice, id, 'five');
  const heardFrom = async (seq: number) => (await rebind(world, 'bob', { [id]: { seq, epoch: 7 } })).frames.slice(1);
  expect(await heardFrom(0)).toMatchObject([{ kind: 'notify', envelope: { seq: 5 } }]);
  expect((await heardFrom(Number.MAX_SAFE_INTEGER))[0]).toMatchObject({ kind: 'gap', from_seq: 1, to_seq: 500 });
});
