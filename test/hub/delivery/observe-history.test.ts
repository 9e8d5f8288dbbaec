// Random histories with an observer: it sees the log, and the log is the same without it.

import type { Envelope } from 'parley-hub/core';
import { expect } from 'vitest';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { type Random, seededRandom } from '../../../src/testing/lib/random.ts';
import { itDeep } from '../../support/size.ts';
import { aCast, lines, logOf, opened, releaseHold, text } from '../scene.ts';

interface Cast {
  readonly world: World;
  readonly peers: readonly Peer[];
  readonly id: string;
}

async function act(random: Random, { world, peers, id }: Cast): Promise<void> {
  const by = peers[random.below(peers.length)] as Peer;
  const other = peers[random.below(peers.length)] as Peer;
  const audience = random.below(3) === 0 ? [other.agentId] : null;
  switch (random.below(10)) {
    case 0:
      world.hold = !world.hold;
      break;
    case 1:
      world.hub.evictIdle();
      break;
    case 2:
      await world.pass(1000);
      break;
    case 3:
      if (random.below(6) === 0) void by.call('close_session', { session_id: id }).catch(() => {});
      break;
    default:
      void by.call('post', text(id, `m${random.below(1000)}`, { audience })).catch(() => {});
  }
  await world.settle();
}

/** Subscribes again now and then, from its position or earlier, or unsubscribes. */
async function look(random: Random, world: World, olga: Peer, id: string): Promise<void> {
  const last = lastOf(olga, id);
  if (random.below(4) === 0) await world.answer(olga.call('unsubscribe', { session_id: id }));
  else await world.answer(olga.call('subscribe', { session_id: id, after_seq: random.below(last + 1) }));
}

async function history(seed: number, isObserved: boolean) {
  const random = seededRandom(seed);
  const chance = seededRandom(seed + 1);
  const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol'], { tailLength: 1 + random.below(4) });
  const olga = await world.peer('olga');
  await world.answer(world.hub.grant('olga', ['observe']));
  const id = await opened(world, alice, [bob, carol], { type: 'panel' });
  for (let step = 0; step < 40; step++) {
    if (isObserved && chance.below(8) === 0) await look(chance, world, olga, id);
    await act(random, { world, peers: [alice, bob, carol], id });
  }
  await releaseHold(world);
  if (isObserved) {
    await world.answer(olga.call('subscribe', { session_id: id, after_seq: lastOf(olga, id) }));
    await world.settle();
  }
  const log = logOf(world.store, id);
  const told = lines(log, ['alice', alice], ['bob', bob], ['carol', carol]);
  return { log, told, seen: seenBy(olga, id) };
}

function lastOf(olga: Peer, id: string): number {
  return Math.max(0, ...olga.observed(id));
}

/** Each envelope once, as first seen; in order and without a gap, except where a subscription goes back. */
function seenBy(olga: Peer, id: string): readonly Envelope[] {
  const seen: Envelope[] = [];
  for (const { envelope, prev_seq } of olga.notifies(id)) {
    expect(prev_seq).toBe(envelope.seq - 1);
    if (envelope.seq > seen.length) seen.push(envelope);
    expect(seen[envelope.seq - 1]).toEqual(envelope);
  }
  return seen;
}

itDeep('[OB2, OB3, L1, L2] in 150 random histories an observer sees the log and leaves no trace in it', async () => {
  for (let seed = 1; seed <= 150; seed++) {
    const observed = await history(seed, true);
    expect(observed.seen, `seed ${seed}`).toEqual(observed.log);
    expect((await history(seed, false)).told, `seed ${seed}`).toEqual(observed.told);
  }
});
