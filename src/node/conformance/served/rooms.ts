/** So many are in at once; a few more wait outside, in the order they came; the rest is sent away. */

import { WireError } from '../../../core/lib/errors.ts';

/** Each waits with a fixture in memory. */
const MOST_WAITING = 16;

export class Rooms {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(rooms: number) {
    this.#free = rooms;
  }

  /** Done when there is room; whoever got in calls what it resolves with, once. Who gives up waiting is not let in. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    return () => this.#leave();
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw new WireError('unavailable', 'too many fixtures wait already', { retry_after_ms: 1_000 });
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(letIn), 1);
        reject(signal.reason);
      };
      const letIn = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      this.#waiting.push(letIn);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Whoever waits longest has the room at once: it is never free in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
