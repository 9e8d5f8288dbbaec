/** A world with schedules, and the sessions they opened. */

import type { Limits, Params, Schedule } from 'parley-hub/core';
import type { Head } from '../../../src/core/records/session/unit.ts';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World, WorldOptions } from '../../../src/testing/doubles/world.ts';
import { aWorld } from '../scene.ts';

/** A time as the hub writes it. */
export function at(minute: string): string {
  return `${minute}:00.000Z`;
}

/** Every night at three, UTC. */
export function daily(more: Partial<Params<'create_schedule'>> = {}): Params<'create_schedule'> {
  const template = { type: 'conversation', participants: ['bob'] };
  return { name: 'nightly', template, expression: '0 3 * * *', zone: 'UTC', ...more };
}

/** A world with alice and bob; it is midnight of 1 January 2026. */
export async function scheduled(limits: Partial<Limits> = {}, options: Partial<WorldOptions> = {}) {
  const world = await aWorld(limits, options);
  return { world, alice: await world.peer('alice'), bob: await world.peer('bob') };
}

export function theSchedule(
  world: World,
  creator: Peer,
  more: Partial<Params<'create_schedule'>> = {},
): Promise<Schedule> {
  return world.answer(creator.call('create_schedule', daily(more)));
}

/** The sessions opened by schedules, oldest first. */
export async function scheduledSessions({ store }: Pick<World, 'store'>): Promise<readonly Head[]> {
  const { heads } = await store.list({ limit: 1000 });
  return heads
    .map(({ head }) => head)
    .filter(({ labels }) => labels.schedule_id !== undefined)
    .reverse();
}

/** The times of day for which sessions were opened. */
export async function opened(world: Pick<World, 'store'>): Promise<string[]> {
  return (await scheduledSessions(world)).map(({ labels }) => labels.scheduled_at?.slice(11, 19) ?? '');
}
