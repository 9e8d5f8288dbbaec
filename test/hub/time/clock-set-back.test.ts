// A wall clock that is set back, or jumps at a bad moment: the hub's time goes on, and nobody is punished.

import { discussion } from 'parley-hub/adapters/discussion';
import type { ExpectationEntry } from 'parley-hub/core';
import { turnWithin } from 'parley-hub/expectations/entries';
import { describe, expect, it } from 'vitest';
import { SteadyClock } from '../../../src/hub/time/steady-clock.ts';
import { SimClock } from '../../../src/testing/doubles/sim-clock.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { ADAPTERS, aWorld, HOUR, logOf, opened, say } from '../scene.ts';

async function talk(expectations: readonly ExpectationEntry[]) {
  const world = await aWorld({}, { adapters: [...ADAPTERS, discussion] });
  const [alice, bob, carol] = [await world.peer('alice'), await world.peer('bob'), await world.peer('carol')];
  const id = await opened(world, alice, [bob, carol], { type: 'discussion', expectations });
  return { world, alice, bob, carol, id };
}

function count(world: World, id: string, type: string): number {
  return logOf(world.store, id).filter(({ event_type }) => event_type === type).length;
}

describe('after the wall clock was set back', () => {
  it('[EX11, L9] what is waited for from then on is a violation on time', async () => {
    const { world, alice, id } = await talk([turnWithin(5, 'audit')]);
    world.clock.jump(-HOUR);
    await world.pass(40_000);
    await say(world, alice, id, 'hello');
    await world.pass(4_000);
    expect(count(world, id, 'expectation.violated')).toBe(1);
    await world.pass(2_000);
    expect(count(world, id, 'expectation.violated')).toBe(2);
  });

  it('[EX11, L9] so it is when the hub starts anew, behind its own log', async () => {
    const { world, alice, id } = await talk([turnWithin(60, 'audit')]);
    await say(world, alice, id, 'hello');
    world.clock.jump(-HOUR);
    await world.restart();
    await world.pass(59_000);
    expect(count(world, id, 'expectation.violated')).toBe(0);
    await world.pass(2_000);
    expect(count(world, id, 'expectation.violated')).toBe(1);
  });

  it('[EX8, EX9] progress is not logged more often, and a failure fires at once', async () => {
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

it('[EX6] a jump between the sweep and the look at a session punishes nobody', async () => {
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

it('[EX11] the hub’s time follows the wall clock, never goes back, and keeps its pace where that does', () => {
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
