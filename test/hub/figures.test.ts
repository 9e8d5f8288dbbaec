// What the hub counts, where its clock and its links are in the test's hand.

import { expect, it } from 'vitest';
import type { Link } from '../../src/core/link.ts';
import { aConversation, aWorld, leap, MINUTE, opened, SECOND, say } from './scene.ts';

it('[MO1] says how late sessions were looked at', async () => {
  const world = await aWorld();
  const [alice, bob] = [await world.peer('alice'), await world.peer('bob')];
  await opened(world, alice, [bob], { ttl: 60, expectations: [] });
  await leap(world, MINUTE - SECOND);
  expect(world.hub.figures().counted.lateMs).toMatchObject({ count: 0, sum: 0 });
  await leap(world, 4 * SECOND);
  expect(world.hub.figures().counted.lateMs).toMatchObject({ count: 1, sum: 3 * SECOND });
});

it('[MO1] counts who is held up, and who was sent away for it', async () => {
  const world = await aWorld({ maxUnsentBytes: 10, maxHeldBytes: 1_000_000, slowConsumerMs: 5 * SECOND });
  const link = {
    unsentBytes: 100,
    send() {},
    onMessage(receive: (text: string) => void) {
      this.receive = receive;
    },
    receive(_: string) {},
    onClose() {},
    close() {},
  };
  world.hub.accept(link as Link);
  link.receive('{"kind":"ping"}');
  expect(world.hub.figures()).toMatchObject({ heldUp: 1, counted: { slowConsumers: 0 } });
  await leap(world, 6 * SECOND);
  expect(world.hub.figures()).toMatchObject({ counted: { slowConsumers: 1 } });
});

it('[MO1] says how much waits for receipts, and how long posts and syncs took', async () => {
  const { world, alice, bob, id } = await aConversation();
  bob.acks = false;
  world.hold = true;
  const first = say(world, alice, id, 'one');
  const second = say(world, alice, id, 'two');
  await world.settle();
  world.clock.advance(20);
  world.hold = false;
  await world.settle();
  await Promise.all([first, second]);
  const { counted, unacked, flushMs, loaded } = world.hub.figures();
  expect(unacked).toEqual({ total: 2, most: 2 });
  expect(counted.ackMs).toMatchObject({ count: 2, sum: 40 });
  expect(flushMs.sum).toBe(40);
  expect(loaded).toEqual([{ type: 'conversation', state: 'ACTIVE', count: 1 }]);
});
