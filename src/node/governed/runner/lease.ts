/** Which process works on a run for longer than one call. */

import { hostname } from 'node:os';
import { msFromIso } from '../../../core/time.ts';
import type { Lease } from '../../../governed/session/index.ts';
import { isAlive } from '../is-alive.ts';

export const LEASE_SECONDS = 3600;

/** Its time is over, or its process is gone: that can be told on the same machine. */
export function isForgotten({ owner, expires_at }: Lease, now: number): boolean {
  if (msFromIso(expires_at) <= now) return true;
  const [, host, pid] = /^(.*):(\d+):[0-9a-f]+$/.exec(owner) ?? [];
  return host === hostname() && !isAlive(Number(pid));
}
