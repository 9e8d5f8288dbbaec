/** Holds the page's only client, used by read and write operations. */

import type { HumanClient } from '../../client/web.ts';
import { WireError } from '../../core/lib/errors.ts';

let current: HumanClient | null = null;

/** Null while the page is signed out. */
export function currentClient(): HumanClient | null {
  return current;
}

export function setClient(client: HumanClient | null): void {
  current = client;
}

export function client(): HumanClient {
  if (current === null)
    throw new WireError('unavailable', 'the page is not connected to a hub', { outcome: 'refused' });
  return current;
}
