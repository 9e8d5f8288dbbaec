/** The four servers side by side, each with the same rooms open. */

import { KINDS, type Kind, Rig } from './rig.ts';
import type { WireSetting } from './setting.ts';

export interface Rigs {
  readonly by: Readonly<Record<Kind, Rig>>;
  /** The layouts by how many are in a room; the same on every server. */
  readonly layoutOf: Readonly<Record<2 | 4, number>>;
}

/** Sessions in most shapes. */
export const SESSIONS = 64;

export async function startRigs({ sizes, folder, profile, note }: WireSetting): Promise<Rigs> {
  note(`starting four servers; each gets ${sizes.rooms} rooms`);
  const started = await Promise.all(KINDS.map((kind) => Rig.start(kind, folder, profile)));
  const [plain, corked, commit, parley] = started as [Rig, Rig, Rig, Rig];
  const layoutOf = { 2: 0, 4: 1 };
  for (const rig of started) {
    await rig.open({ groups: sizes.rooms, parties: 2, rooms: sizes.rooms });
    const wide = Math.min(SESSIONS, sizes.rooms);
    await rig.open({ groups: wide, parties: 4, rooms: wide });
  }
  note('warming up');
  const rooms = Math.min(SESSIONS, sizes.rooms);
  for (const rig of started) await rig.closed({ layout: 0, rooms, ms: sizes.warmMs }, rooms * 8);
  return { by: { plain, corked, commit, parley }, layoutOf };
}
