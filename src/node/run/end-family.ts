/** Ends a program and all that came of it: asks (SIGTERM), waits a while, and does not ask again (SIGKILL). */

import { setTimeout as pause } from 'node:timers/promises';
import type { Family } from '../../participants/processes/tree/process-tree.ts';

/** Often enough to lose no time, seldom enough to cost nothing. */
const LOOK_EVERY_MS = 15;
/** What a killed process may take to be gone; one that hangs in the kernel is not waited for any longer. */
const KILL_WAIT_MS = 5_000;

/** Resolves when nobody of it is left. */
export async function endFamily(family: Family, graceMs: number): Promise<void> {
  if (await isGoneAfter(family, 'SIGTERM', graceMs)) return;
  await isGoneAfter(family, 'SIGKILL', KILL_WAIT_MS);
}

async function isGoneAfter(family: Family, signal: 'SIGTERM' | 'SIGKILL', withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const living = await family.living();
    if (living.length === 0) return true;
    if (performance.now() >= deadline) return false;
    // Also those that were born since the last look.
    family.signal(signal, living);
    while (family.isAnyKnownAlive && performance.now() < deadline) await pause(LOOK_EVERY_MS);
  }
}
