/** Reading views in tests. */

import type { Result, ViewRef } from 'parley-hub/core';
import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, foreignUnit, invited, say, VIEWS } from '../scene.ts';

export type Shown = Result<'read_view'>;

export function see(world: World, peer: Peer, session_id: string, view?: ViewRef, at_seq?: number): Promise<Shown> {
  return world.answer(peer.call('read_view', { session_id, view, at_seq }));
}

export async function contents(...args: Parameters<typeof see>): Promise<readonly string[]> {
  return (await see(...args)).messages.map(({ role, content }) => `${role === 'assistant' ? '> ' : ''}${content}`);
}

/** Another writer's entry, which the hub notices with the next post. */
export async function foreign(
  world: World,
  by: Peer,
  id: string,
  event_type: string,
  event_data: object,
  audience?: string[],
) {
  const draft = { event_type, event_data: event_data as Record<string, string>, audience: audience ?? null };
  world.store.foreignAppend(id, foreignUnit(world, id, draft));
  await say(world, by, id, 'go on');
}

/** alice, bob and carol in a panel; carol joined late. */
export async function aLatePanel(limits: Parameters<typeof aCast>[1] = {}) {
  const { world, alice, bob, carol } = await aCast(['alice', 'bob', 'carol'], limits, { views: VIEWS });
  const id = await invited(world, alice, [bob, carol], { type: 'panel', required_acks: 1 });
  await world.answer(bob.call('ack_invite', { session_id: id }));
  await say(world, alice, id, 'one');
  await say(world, bob, id, 'two');
  return { world, alice, bob, carol, id, join: () => world.answer(carol.call('ack_invite', { session_id: id })) };
}
