/** The one client of the page, for whoever reads or acts. */

import type { HumanClient } from '../../client/web.ts';
import { WireError } from '../../core/lib/errors.ts';

let current: HumanClient | null = null;

/** Null while nobody is signed in. */
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
