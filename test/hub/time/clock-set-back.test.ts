// A wall clock that is set back or jumps: the hub's time continues, and nobody is punished.

import { discussion } from 'parley-hub/adapters/discussion';
import type { ExpectationEntry } from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import { SteadyClock } from '../../../src/hub/time/steady-clock.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aCast, HOUR, logOf, opened, say } from '../scene.ts';

async function talk(expectations: readonly ExpectationEntry[]) {
  const { world, alice, bob, carol } = await aCast(
    ['alice', 'bob', 'carol'],
    {},
    { adapters: [...ADAPTERS, discussion] },
  );
  const id = await opened(world, alice, [bob, carol], { type: 'discussion', expectations });
  return { world, alice, bob, carol, id };
}

function count(world: World, id: string, type: string): number {
  return logOf(world.store, id).filter(({ event_type }) => event_type === type).length;
}

describe('after the wall clock was set back', () => {
  it('[EX11, L9] new waits are violated on time', async () => {
    const { world, alice, id } = await talk([turnWithin(5, 'audit')]);
    world.clock.jump(-HOUR);
    await world.pass(40_000);
    await say(world, alice, id, 'hello');
    await world.pass(4_000);
    expect(count(world, id, 'expectation.violated')).toBe(1);
    await world.pass(2_000);
    expect(count(world, id, 'expectation.violated')).toBe(2);
  });

  it('[EX11, L9] waits are violated on time after a restart behind the log', async () => {
    const { world, alice, id } = await talk([turnWithin(60, 'audit')]);
    await say(world, alice, id, 'hello');
    world.clock.jump(-HOUR);
    await world.restart();
    await world.pass(59_000);
    expect(count(world, id, 'expectation.violated')).toBe(0);
    await world.pass(2_000);
    expect(count(world, id, 'expectation.violated')).toBe(1);
  });

  it('[EX8, EX9] progress is not logged more often, and a failure fires immediately', async () => {
    const { world, alice, bob, id } = await talk([turnWithin(600, 'audit', { onFailure: true })]);
    await say(world, alice, id, 'hello');
    await world.answer(bob.call('report_progress', { session_id: id }));
    world.clock.jump(-HOUR);
    for (let i = 0; i < 20; i++) await world.answer(bob.call('report_progress', { session_id: id }));
    expect(count(world, id, 'task.progress')).toBe(1);
    await world.pass(40_000);
    await world.answer(bob.call('report_turn_failure', { session_id: id, reason: 'no' }));
    await world.pass(1_000);
    expect(count(world, id, 'expectation.violated')).toBe(1);
  });
});

it('[EX6] a jump between the sweep and the check of a session punishes nobody', async () => {
  const { world, alice, id } = await talk([turnWithin(5, 'audit'), turnWithin(600, 'remove')]);
  await say(world, alice, id, 'hello');
  await world.pass(4_000);
  world.hub.evictIdle();
  world.clock.advance(1000);
  world.hub.sweep();
  world.clock.jump(HOUR);
  await world.settle();
  expect(count(world, id, 'session.participant.removed')).toBe(0);
});

it('[EX11] the hub’s time follows the wall clock, never goes back, and keeps its pace instead', () => {
  const wall = new SimClock(1_000_000);
  const steady = new SteadyClock(wall);
  wall.advance(500);
  expect(steady.now()).toBe(1_000_500);
  wall.jump(-400);
  expect(steady.now()).toBe(1_000_500);
  wall.advance(1000);
  expect(steady.now()).toBe(1_001_100);
  wall.jump(-HOUR);
  wall.advance(250);
  expect(steady.now()).toBe(1_001_350);
  wall.jump(HOUR);
  expect(steady.now()).toBe(1_001_350);
  wall.jump(HOUR);
  expect(steady.now()).toBe(1_001_350 + HOUR);
  steady.reached(1_001_350 + 3 * HOUR);
  wall.advance(10);
  expect(steady.now()).toBe(1_001_360 + 3 * HOUR);
});
