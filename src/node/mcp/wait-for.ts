/** Looks, and looks again whenever something happened, until there is something to tell or the time is over. */

import { setTimeout as sleep } from 'node:timers/promises';
import { pause } from './pause.ts';
import type { Call } from './tool.ts';

/** How often who waits is told so, and it is looked also though nothing was heard. */
const BEAT_MS = 5_000;
/** What happens in quick succession is looked at once. */
const GATHER_MS = 50;

/** What a look finds. */
export interface Look {
  readonly status: string;
  /** What is waited for. */
  readonly reason?: string | undefined;
}

export async function waitFor<Found extends Look>(
  { participant, maxWaitMs, signal, progress }: Call,
  sessionId: string | null,
  look: () => Promise<Found>,
): Promise<Found> {
  const until = performance.now() + maxWaitMs;
  const watch = participant.watch(sessionId);
  try {
    for (;;) {
      const leftMs = until - performance.now();
      const found = await look();
      if (found.status !== 'waiting' || leftMs <= 0) return found;
      progress(found.reason ?? 'waiting');
      const beat = pause(signal, Math.min(BEAT_MS, leftMs));
      await watch.next(beat.signal).finally(beat.end);
      if (signal.aborted) return found;
      if (!beat.signal.aborted) await sleep(Math.min(GATHER_MS, Math.max(0, until - performance.now())));
    }
  } finally {
    watch.end();
  }
}
