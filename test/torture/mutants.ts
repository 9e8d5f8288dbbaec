/** Parts that break one law on purpose, to prove that the checker finds it. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * forgetful = members treat deliveries after a restart as new; drops-for-good = a link on which some envelopes never
 * arrive; unsynced = a disk that loses confirmed data at a kill.
 */
export const MUTANTS = ['forgetful', 'drops-for-good', 'unsynced'] as const;
export type Mutant = (typeof MUTANTS)[number];

const LOST_BYTES = 8 * 1024;

/** The newest journal file without its last bytes. */
export async function loseTheEnd(folder: string): Promise<void> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.journal')).toSorted();
  const newest = names.at(-1);
  if (newest === undefined) return;
  const path = join(folder, newest);
  const bytes = await readFile(path);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  const kept = Math.max(Math.floor(end / 2), end - LOST_BYTES);
  await writeFile(path, Buffer.concat([bytes.subarray(0, kept), Buffer.alloc(bytes.length - kept)]));
}
