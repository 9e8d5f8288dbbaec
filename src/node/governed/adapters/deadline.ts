/** A signal that is aborted when a time is over or whoever waits does not any more; and which of both it was. */

import type { Clock } from '../../../core/ports/platform.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** null = neither. */
  readonly endedBy: 'timeout' | 'caller' | null;
  /** Rejects when it is over, so that also those are not waited for who do not listen. */
  race<T>(work: Promise<T>): Promise<T>;
  close(): void;
}

export function deadlineOf(clock: Pick<Clock, 'after'>, timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const abort = new AbortController();
  let endedBy: Deadline['endedBy'] = null;
  const over = new Promise<never>((_, reject) => {
    abort.signal.addEventListener('abort', () => reject(new Error('the time is over')), { once: true });
  });
  // Nobody may be waiting when it is.
  over.catch(() => {});
  const end = (by: 'timeout' | 'caller'): void => {
    endedBy ??= by;
    abort.abort();
  };
  const onCaller = (): void => end('caller');
  const stop = clock.after(timeoutMs, () => end('timeout'));
  caller?.addEventListener('abort', onCaller, { once: true });
  if (caller?.aborted) onCaller();
  return {
    signal: abort.signal,
    get endedBy() {
      return endedBy;
    },
    race(work) {
      // What comes of it when nobody waits any more is nobody's error.
      work.catch(() => {});
      return Promise.race([work, over]);
    },
    close() {
      stop();
      caller?.removeEventListener('abort', onCaller);
    },
  };
}
