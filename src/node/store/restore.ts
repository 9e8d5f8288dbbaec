/** Makes a data folder of a backup. */

import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../../core/errors.ts';
import { realFiles } from '../journal/real-files.ts';
import { assertEmpty, type BackedUp } from './backup.ts';
import type { CareOptions } from './care-types.ts';
import { copyJournal } from './copy-journal.ts';
import { isBackup, JOURNAL_FOLDER, newFormat, syncPath, writeFormat } from './data-format.ts';
import { openStore } from './open-store.ts';

/** Every session has a new epoch then: what clients have seen since the backup is not in it. The folder is there whole or not at all. */
export async function restoreBackup(backup: string, folder: string, options: CareOptions = {}): Promise<BackedUp> {
  if (!(await isBackup(backup))) {
    throw new HubError('not_a_backup', `${backup} is not a whole backup; give the folder that a backup was written to`);
  }
  await assertEmpty(folder);
  const part = `${resolve(folder)}.restoring`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const from = await realFiles(join(backup, JOURNAL_FOLDER));
  const bytes = await copyJournal(from, await realFiles(join(part, JOURNAL_FOLDER)), null, options);
  await writeFormat(part, newFormat());
  const { store } = await openStore(part);
  await store.perform({ operation: 'restored' }).finally(() => store.close());
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(part, folder);
  await syncPath(dirname(resolve(folder)));
  return { bytes };
}
