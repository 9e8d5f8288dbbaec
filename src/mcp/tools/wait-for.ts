/** Polls whenever something happened, until there is something to report or the time is over. */

import { setTimeout as sleep } from 'node:timers/promises';
import { WireError } from '../../core/lib/errors.ts';
import { durationMs } from '../../core/lib/time.ts';
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
export interface PollResult {
  readonly status: string;
  /** What is waited for. */
  readonly reason?: string | undefined;
}

export async function waitFor<Found extends PollResult>(
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
      const found: Found = await foundInTime(look(), last, Math.max(0, leftMs) + GRACE_MS);
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
async function foundInTime<Found extends PollResult>(
  looking: Promise<Found>,
  last: Found | null,
  ms: number,
): Promise<Found> {
  const found = await inTime(looking, ms);
  if (found !== null) return found;
  // Nobody hears what comes of it now.
  looking.catch(() => {});
  if (last !== null) return { ...last, reason: AWAY };
  throw new WireError('unavailable', AWAY, { outcome: 'unknown' });
}

/** null = it took longer. The work goes on. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T | null> {
  const done = new AbortController();
  const tooLong = sleep(ms, null, { signal: done.signal }).catch(() => null);
  return Promise.race([work, tooLong]).finally(() => done.abort());
}

interface Pause {
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * A signal that aborts with another one or after a time.
 * Made of a timer and a listener, which are held until they fire: a signal of `AbortSignal.timeout` that only
 * `AbortSignal.any` knows of may be collected, and then never fires.
 */
function pause(other: AbortSignal, ms: number): Pause {
  const over = new AbortController();
  const stop = (): void => over.abort();
  const timer = setTimeout(stop, Math.max(0, Math.ceil(ms)));
  other.addEventListener('abort', stop, { once: true });
  if (other.aborted) stop();
  return {
    signal: over.signal,
    end() {
      clearTimeout(timer);
      other.removeEventListener('abort', stop);
    },
  };
}

/** How long a call waits by default. Hosts give up on calls, mostly after a minute. */
export const DEFAULT_WAIT = '25s';
export const WAIT_EXPECTED = 'a duration from 1s to 10m';

const LEAST_MS = 1_000;
const MAX_MS = 600_000;

/** null = the text is no such duration. */
export function parseWait(text: string): number | null {
  try {
    const ms = durationMs(text, 'wait');
    return ms >= LEAST_MS && ms <= MAX_MS ? ms : null;
  } catch {
    return null;
  }
}
