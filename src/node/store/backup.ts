/** A copy of everything confirmed so far, taken while the hub runs. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { describe } from '../../core/lib/json.ts';
import { realFiles } from '../../store/journal/real-files.ts';
import type { CareOptions, OpenParts } from '../../store/maintenance/maintenance-types.ts';
import { type CopiedFile, copyJournal } from '../../store/maintenance/backup.ts';
import { DATA_FORMAT, JOURNAL_FOLDER, writeBackupMark } from '../../store/maintenance/data-format.ts';

export interface BackedUp {
  readonly bytes: number;
}

/** A consistent prefix: everything confirmed when it began, and nothing that was not. `target` must be empty or not there. */
export async function backupTo(parts: OpenParts, target: string, options: CareOptions = {}): Promise<BackedUp> {
  await assertEmpty(target);
  await parts.settle();
  const { end } = parts.journal;
  try {
    const files = await realFiles(join(target, JOURNAL_FOLDER));
    const copied = await copyJournal(parts.files, files, end, options);
    // Last: a folder without it is no backup.
    await writeBackupMark(target, { format: DATA_FORMAT, files: copied });
    return { bytes: bytesOf(copied) };
  } catch (thrown) {
    // Half a copy is of no use, and the disk may be full of it.
    await rm(join(target, JOURNAL_FOLDER), { recursive: true, force: true });
    throw thrown;
  }
}

/** Nothing is ever written into a folder that holds something. */
export async function assertEmpty(folder: string): Promise<void> {
  if (typeof folder !== 'string' || folder === '') {
    throw new HubError('bad_options', `expected the path of a new folder, got ${describe(folder)}`);
  }
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  const isHalf = names.length === 1 && names[0] === JOURNAL_FOLDER;
  const why = isHalf
    ? 'holds a backup that was broken off; delete it, or give a new folder'
    : `is not empty (${names.length} names in it); give a new folder`;
  throw new HubError('folder_not_empty', `${folder} ${why}`);
}

export function bytesOf(files: readonly CopiedFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
