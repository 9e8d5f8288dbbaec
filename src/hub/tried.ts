/** Work that nobody waits for and nobody else would do: tried again for a while if it fails. */

import { asError } from '../core/errors.ts';
import type { HubParts } from './parts.ts';
import { retryDelayMs } from './retries.ts';

/** `name` tells it from other such work. Settles after the first attempt, and never rejects. */
export async function tried(
  parts: HubParts,
  name: string,
  work: () => Promise<unknown>,
  attempt: number = 1,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = asError(thrown).message;
    parts.log.warn('a follow-up could not be carried out', { name: name.replace('\n', ' '), attempt, error });
    const delayMs = retryDelayMs(attempt);
    if (delayMs === null) return;
    parts.retries.schedule(`follow-up\n${name}`, delayMs, () => void tried(parts, name, work, attempt + 1));
  }
}
