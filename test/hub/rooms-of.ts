/** Gives tests access to the rooms of a hub. */

import type { Hub } from '../../src/hub/hub.ts';
import type { Rooms } from '../../src/hub/wiring.ts';

export function roomsOf(hub: Hub): Rooms {
  return (hub as unknown as { rooms: Rooms }).rooms;
}
