/** Work that nobody waits for and nobody else would do: tried again for a while, or on and on, if it fails. */

import { asError } from '../core/lib/errors.ts';
import type { HubParts } from './parts.ts';
import { retryDelayMs } from './retries.ts';

/** How often is tried what must not be given up. */
const ON_AND_ON_MS = 30_000;

/** Of what is tried without end only the first failures are news. */
const MOST_WARNINGS = 6;

/** `name` tells it from other such work. Settles after the first attempt, and never rejects. */
export function tried(parts: HubParts, name: string, work: () => Promise<unknown>): Promise<void> {
  return attempted(parts, name, work, null, 1);
}

/** The same for what somebody waits for: it is never given up. */
export function triedOn(parts: HubParts, name: string, work: () => Promise<unknown>): Promise<void> {
  return attempted(parts, name, work, ON_AND_ON_MS, 1);
}

async function attempted(
  parts: HubParts,
  name: string,
  work: () => Promise<unknown>,
  laterMs: number | null,
  attempt: number,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = asError(thrown).message;
    if (attempt <= MOST_WARNINGS)
      parts.log.warn('a follow-up could not be carried out', { name: name.replace('\n', ' '), attempt, error });
    const delayMs = retryDelayMs(attempt) ?? laterMs;
    if (delayMs === null) return;
    const again = () => void attempted(parts, name, work, laterMs, attempt + 1);
    parts.retries.schedule(`follow-up\n${name}`, delayMs, again);
  }
}
