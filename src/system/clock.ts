/** The system clock. */

import type { Clock } from '../core/ports/platform.ts';

/** The longest timer of the platform; a longer one would fire immediately. */
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
