/** Waits for an agent; for one that does not listen to its signal only so long, as others wait for its place. */

import type { CancelSignal, Clock } from '../core/ports/platform.ts';

/** Rejects with the reason of the signal when the agent has not ended so long after it. What it does later is dropped. */
export function answerOrGrace<T>(
  answer: Promise<T>,
  signal: CancelSignal,
  clock: Clock,
  graceMs: number,
  onDeaf: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let stopWait = (): void => {};
    const giveUp = (): void => {
      onDeaf();
      reject(signal.reason);
    };
    const wait = (): void => {
      stopWait = clock.after(graceMs, giveUp);
    };
    const settle = (): void => {
      signal.removeEventListener('abort', wait);
      stopWait();
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
    answer.then(resolve, reject).finally(settle);
  });
}
