/** Servers side by side with the same rooms open. */

import { type Kind, Rig } from './rig.ts';
import { ending, type WireSetting } from './setting.ts';

/** Sessions in most shapes. */
export const SESSIONS = 64;

export class Rigs {
  readonly #rigs: readonly Rig[];
  /** Layouts by room size, the same on every server. */
  readonly layoutOf: Readonly<Record<2 | 4, number>> = { 2: 0, 4: 1 };

  private constructor(rigs: readonly Rig[]) {
    this.#rigs = rigs;
  }

  /** Stops them afterwards. */
  static async using<T>(
    kinds: readonly Kind[],
    { sizes, folder, profile, note }: WireSetting,
    work: (rigs: Rigs) => Promise<T>,
  ): Promise<T> {
    note(`starting ${kinds.join(', ')}; each gets ${sizes.rooms} rooms`);
    const started = await Promise.all(kinds.map((kind) => Rig.start(kind, folder, profile)));
    return ending(started, async () => {
      const rooms = Math.min(SESSIONS, sizes.rooms);
      for (const rig of started) {
        await rig.open({ groups: sizes.rooms, parties: 2, rooms: sizes.rooms });
        await rig.open({ groups: rooms, parties: 4, rooms });
      }
      note('warming up');
      for (const rig of started) await rig.closed({ layout: 0, rooms, ms: sizes.warmMs }, rooms * 8);
      return work(new Rigs(started));
    });
  }

  of(kind: Kind): Rig {
    const rig = this.#rigs.find((one) => one.kind === kind);
    if (rig === undefined) throw new Error(`${kind} was not started`);
    return rig;
  }
}
