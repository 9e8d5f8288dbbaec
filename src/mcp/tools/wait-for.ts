/** Polls after every change until there is something to report or the wait times out. */

import { setTimeout as sleep } from 'node:timers/promises';
import { WireError } from '../../core/lib/errors.ts';
import { durationMs } from '../../core/lib/time.ts';
import type { Call } from './tool.ts';

/** Interval of progress notices, and of polls if nothing changes. */
const BEAT_MS = 5_000;
/** Changes in quick succession cause one poll. */
const GATHER_MS = 50;
const GRACE_MS = 1_000;
/** Timers may fire early by this much. */
const EARLY_MS = 1;
const AWAY = 'the hub is not answering';

interface PollResult {
  readonly status: string;
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

/** If the hub does not answer in time, returns the last result with that reason. */
async function foundInTime<Found extends PollResult>(
  looking: Promise<Found>,
  last: Found | null,
  ms: number,
): Promise<Found> {
  const found = await inTime(looking, ms);
  if (found !== null) return found;
  looking.catch(() => {});
  if (last !== null) return { ...last, reason: AWAY };
  throw new WireError('unavailable', AWAY, { outcome: 'unknown' });
}

/** null if `ms` passed first; the work continues. */
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
 * A signal that aborts with `other` or after `ms`. Not AbortSignal.any with AbortSignal.timeout: the timeout
 * signal may be garbage collected before it fires.
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

/** Default wait of a call. Hosts usually time out after a minute. */
export const DEFAULT_WAIT = '25s';
export const WAIT_EXPECTED = 'a duration from 1s to 10m';

const LEAST_MS = 1_000;
const MAX_MS = 600_000;

/** null unless the text is a duration from 1s to 10m. */
export function parseWait(text: string): number | null {
  try {
    const ms = durationMs(text, 'wait');
    return ms >= LEAST_MS && ms <= MAX_MS ? ms : null;
  } catch {
    return null;
  }
}
