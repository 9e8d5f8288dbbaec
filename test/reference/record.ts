/** Plays all scenes over sockets and gives what was shown: the same, byte for byte, in each run. */

import { joined } from './cast.ts';
import type { GoldenBook } from './golden-book.ts';
import { aSession } from './scenes/a-session.ts';
import { delivery } from './scenes/delivery.ts';
import { identities } from './scenes/identities.ts';
import { lookingAfter } from './scenes/operator-reads.ts';
import { limits, turns } from './scenes/turns.ts';
import { work } from './scenes/work.ts';
import { Stage } from './stage.ts';

/** In this order; the last one ends with the hub. */
const SCENES = [identities, aSession, turns, limits, work, lookingAfter, delivery];

export async function recordedFrames(): Promise<GoldenBook> {
  const stage = await Stage.open();
  try {
    const cast = await joined(stage);
    for (const scene of SCENES) {
      await scene(cast);
      stage.pass(1);
    }
    return cast.book;
  } finally {
    await stage.close();
  }
}
