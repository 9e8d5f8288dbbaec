/** Limits the concurrent turns of a participant; the others wait in line. */

import type { CancelSignal } from '../../core/ports/platform.ts';

export class Slots {
  private free: number;
  private readonly line = new Set<() => void>();

  constructor(count: number) {
    this.free = count;
  }

  /** Resolves to true with a slot, or false if the signal came first. */
  take(signal: CancelSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const give = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.line.delete(give);
        resolve(false);
      };
      this.line.add(give);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  giveBack(): void {
    const [next] = this.line;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.line.delete(next);
    next();
  }
}
