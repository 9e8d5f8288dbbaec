/** How long those who are invited have, where that is said: some session types have a deadline of their own, which would come before it. */

import { consulting } from '../../../adapters/consulting.ts';
import type { OpenOptions } from '../../client/open.ts';
import { durationMs } from '../../core/time.ts';
import { wrongValue } from '../../cli/terminal/command-error.ts';

type Patience = Pick<OpenOptions, 'inviteTimeout' | 'expectations'>;

export function invitePatience(type: string, given: string | undefined): Patience {
  if (given === undefined) return {};
  const seconds = secondsOf(given);
  if (type !== 'consulting') return { inviteTimeout: seconds };
  const expectations = (consulting.manifest.expectations ?? []).map((one) =>
    one.name === 'acks_within' ? { ...one, params: { seconds } } : one,
  );
  return { inviteTimeout: seconds, expectations };
}

function secondsOf(text: string): number {
  try {
    const ms = durationMs(text, '--invite-timeout');
    if (ms > 0) return ms / 1000;
  } catch {
    // Said below, like every other value.
  }
  throw wrongValue('--invite-timeout', 'a duration such as 10m', text);
}
