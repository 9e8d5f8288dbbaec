/** How long a call may wait before it answers that nothing has happened: hosts give up on calls, mostly after a minute. */

import { durationMs } from '../../core/time.ts';

export const USUAL_WAIT = '25s';
export const WAIT_EXPECTED = 'a duration from 1s to 10m';

const LEAST_MS = 1_000;
const MOST_MS = 600_000;

/** null = it is none. */
export function parseWait(text: string): number | null {
  try {
    const ms = durationMs(text, 'wait');
    return ms >= LEAST_MS && ms <= MOST_MS ? ms : null;
  } catch {
    return null;
  }
}
