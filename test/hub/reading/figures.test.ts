// Counters of the hub, with clock and links controlled by the test.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Link } from '../../../src/core/lib/link.ts';
import type { LifecycleState } from '../../../src/core/records/session/session.ts';
import { SessionCounter } from '../../../src/hub/sessions/live-index.ts';
import {
  aCast,
  aConversation,
  aPanel,
  aWorld,
  invited,
  leap,
  MINUTE,
  opened,
  releaseHold,
  SECOND,
  say,
} from '../scene.ts';

it('[MO1] counts how late sessions were checked', async () => {
  const { world, alice, bob } = await aCast(['alice', 'bob']);
  await opened(world, alice, [bob], { ttl: 60, expectations: [] });
  await leap(world, MINUTE - SECOND);
  expect(world.hub.figures().counted.lateMs).toMatchObject({ count: 0, sum: 0 });
  await leap(world, 4 * SECOND);
  expect(world.hub.figures().counted.lateMs).toMatchObject({ count: 1, sum: 3 * SECOND });
});

it('[MO1] counts connections under backpressure, and those closed for it', async () => {
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

it('[MO1] counts unacked deliveries, and the times of posts and syncs', async () => {
  const { world, alice, bob, id } = await aConversation();
  bob.acks = false;
  world.hold = true;
  const first = say(world, alice, id, 'one');
  const second = say(world, alice, id, 'two');
  await world.settle();
  world.clock.advance(20);
  await releaseHold(world);
  await Promise.all([first, second]);
  const { counted, unacked, flushMs, live } = world.hub.figures();
  expect(unacked).toEqual({ total: 2, most: 2 });
  expect(counted.ackMs).toMatchObject({ count: 2, sum: 40 });
  expect(flushMs.sum).toBe(40);
  expect(live).toEqual([{ type: 'conversation', state: 'ACTIVE', count: 1 }]);
});

it('[MO1] counts every live session by type and state, loaded or not, from the start on', async () => {
  const { world, alice, bob, carol, id } = await aPanel();
  const kinds = () =>
    world.hub
      .figures()
      .live.map(({ type, state, count }) => `${type} ${state} ${count}`)
      .sort();
  const talk = await opened(world, alice, [bob]);
  await invited(world, alice, [carol]);
  expect(kinds()).toEqual(['conversation ACTIVE 1', 'conversation INVITED 1', 'panel ACTIVE 1']);
  await world.restart();
  expect(world.hub.health().sessions.loaded).toBe(0);
  expect(kinds()).toEqual(['conversation ACTIVE 1', 'conversation INVITED 1', 'panel ACTIVE 1']);
  const [again, other] = [await world.peer('alice'), await world.peer('bob')];
  other.acks = false;
  await say(world, again, talk, 'a text changes no state');
  await world.answer(again.call('close_session', { session_id: talk }));
  expect(kinds()).toEqual(['conversation CLOSING 1', 'conversation INVITED 1', 'panel ACTIVE 1']);
  await leap(world, 10 * SECOND);
  await world.answer(again.call('close_session', { session_id: id }));
  await leap(world, 10 * SECOND);
  expect(kinds()).toEqual(['conversation INVITED 1']);
});

it('[MO1] counts sessions like a full count', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd');
  const states = fc.constantFrom<LifecycleState>('INVITED', 'ACTIVE', 'CLOSING');
  const steps = fc.array(fc.tuple(ids, fc.constantFrom('x', 'y', ''), fc.option(states)));
  fc.assert(
    fc.property(steps, (all) => {
      const census = new SessionCounter();
      const model = new Map<string, string>();
      for (const [id, type, state] of all) {
        if (state === null) census.forget(id);
        else census.note(id, type, state);
        if (state === null) model.delete(id);
        else model.set(id, `${type} ${state}`);
        expect(census.has(id)).toBe(model.has(id));
      }
      const expected: Record<string, number> = {};
      for (const kind of model.values()) expected[kind] = (expected[kind] ?? 0) + 1;
      const counts = census.counts().map(({ type, state, count }) => [`${type} ${state}`, count]);
      expect(Object.fromEntries(counts)).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});
