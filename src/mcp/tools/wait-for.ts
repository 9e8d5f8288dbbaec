/** Looks, and looks again whenever something happened, until there is something to tell or the time is over. */

import { setTimeout as sleep } from 'node:timers/promises';
import { WireError } from '../../core/lib/errors.ts';
import { pause } from '../../node/mcp/pause.ts';
import type { Call } from './tool.ts';

/** How often who waits is told so, and it is looked also though nothing was heard. */
const BEAT_MS = 5_000;
/** What happens in quick succession is looked at once. */
const GATHER_MS = 50;

/** How much longer than its time a look may take. */
const GRACE_MS = 1_000;

const AWAY = 'the hub does not answer at the moment';

/** A timer may fire that much before its time. */
const EARLY_MS = 1;

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
  let last: Found | null = null;
  try {
    for (;;) {
      const leftMs = until - performance.now();
      const found: Found = await inTime(look(), last, Math.max(0, leftMs) + GRACE_MS);
      last = found;
      if (found.status !== 'waiting' || performance.now() >= until - EARLY_MS) return found;
      progress(found.reason ?? 'waiting');
      const beat = pause(signal, Math.min(BEAT_MS, Math.max(0, until - performance.now())));
      await watch.next(beat.signal).finally(beat.end);
      if (signal.aborted) return found;
      if (!beat.signal.aborted) await sleep(Math.min(GATHER_MS, Math.max(0, until - performance.now())));
    }
  } finally {
    watch.end();
  }
}

/** A hub that is away answers nobody: then what was found before it was, and that. */
async function inTime<Found extends Look>(looking: Promise<Found>, last: Found | null, ms: number): Promise<Found> {
  const done = new AbortController();
  const tooLong = sleep(ms, null, { signal: done.signal }).catch(() => null);
  const found = await Promise.race([looking, tooLong]).finally(() => done.abort());
  if (found !== null) return found;
  // Nobody hears what comes of it now.
  looking.catch(() => {});
  if (last !== null) return { ...last, reason: AWAY };
  throw new WireError('unavailable', AWAY, { outcome: 'unknown' });
}
