/** Sessions in several states, for tests that hold or break the disk. */

import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';
import { aCast, invited, opened } from '../scene.ts';

export interface Scene {
  readonly world: World;
  readonly alice: Peer;
  readonly bob: Peer;
  readonly carol: Peer;
  /** In no session. */
  readonly idle: Peer;
  readonly active: string;
  readonly consulting: string;
  readonly pending: string;
  readonly panel: string;
}

export async function scene(): Promise<Scene> {
  const trio = await aCast(['alice', 'bob', 'carol']);
  const { world, alice, bob, carol } = trio;
  return {
    ...trio,
    idle: await world.peer('idle'),
    active: await opened(world, alice, [bob], { ttl: '40s' }),
    consulting: await opened(world, alice, [bob], { type: 'consulting' }),
    pending: await invited(world, alice, [carol], { ttl: '20s' }),
    panel: await opened(world, alice, [bob], { type: 'panel' }),
  };
}
