/** The clock of the machine. */

import type { Clock } from '../core/ports/platform.ts';

/** What a timer takes; one that is set for longer fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const pieceMs = Math.min(leftMs, LONGEST_MS);
      timer = setTimeout(() => (leftMs > pieceMs ? wait(leftMs - pieceMs) : run()), pieceMs);
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
