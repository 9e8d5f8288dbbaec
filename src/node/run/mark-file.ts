/** A file without a name that a program holds open, and with it all that came of it: a mark that an empty environment does not take away. */

import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProcessTable } from '../../participants/processes/tree/process-table.ts';

/** Read only, and empty. Null where nobody could look for it, or no file can be made; then there is one mark less. */
export function openMark(mark: string): number | null {
  if (!hasProcessTable) return null;
  const path = join(tmpdir(), mark);
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    // The table of processes shows its name all the same.
    unlinkSync(path);
  } catch {
    closeMark(fd);
    return null;
  }
  return fd;
}

/** Ours; the program has its own. */
export function closeMark(fd: number | null): void {
  if (fd !== null) closeSync(fd);
}
