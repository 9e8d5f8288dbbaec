/** Creates a data folder from a backup. */

import { rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../system/clock.ts';
import { makeFolder, syncFolder } from '../system/make-folder.ts';
import { realFiles } from './journal/real-files.ts';
import { assertEmpty, type BackupResult, bytesOf, copyFiles } from './maintenance/backup.ts';
import { JOURNAL_FOLDER, newFormat, readBackupMark, writeFormat } from './maintenance/data-format.ts';
import type { MaintenanceOptions } from './maintenance/maintenance-types.ts';
import { openStore } from './open-store.ts';

/**
 * Starts a new epoch for every session: clients may have seen newer envelopes. The folder appears complete or not at
 * all.
 */
export async function restoreBackup(
  backup: string,
  folder: string,
  options: MaintenanceOptions = {},
): Promise<BackupResult> {
  const { files } = await readBackupMark(backup);
  await assertEmpty(folder);
  const part = `${resolve(folder)}.restoring`;
  await rm(part, { recursive: true, force: true });
  await makeFolder(part);
  const from = await realFiles(join(backup, JOURNAL_FOLDER));
  const copied = await copyFiles(from, await realFiles(join(part, JOURNAL_FOLDER)), files, options);
  await writeFormat(part, newFormat());
  const { store } = await openStore(part);
  await store.renewEpochs(systemClock.now()).finally(() => store.close());
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(part, folder);
  await syncFolder(dirname(resolve(folder)));
  return { bytes: bytesOf(copied) };
}
