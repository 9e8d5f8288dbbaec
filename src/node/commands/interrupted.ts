/** Ctrl-C ends what goes on and on: that is how it is meant to end. */

import { once } from 'node:events';

/** Resolves at the first SIGINT or SIGTERM. */
export async function interrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
