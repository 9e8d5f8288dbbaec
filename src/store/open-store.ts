/** Opens a data folder: locks it, checks its format, recovers the store. */

import { join } from 'node:path';
import { systemClock } from '../system/clock.ts';
import { syncFolder } from '../system/make-folder.ts';
import type { DurableStore } from './durable-store.ts';
import { lockFolder } from './folder-lock.ts';
import { DamagedIndex } from './index/ordered-index.ts';
import type { Files } from './journal/files.ts';
import type { OnProgress } from './journal/journal-types.ts';
import { realFiles } from './journal/real-files.ts';
import { type FolderFormat, JOURNAL_FOLDER, newFormat, readFormat, writeFormat } from './maintenance/data-format.ts';
import { type OpenedIndex, openIndex } from './open-index.ts';
import { recoverStore, type StoreRecovery } from './recover.ts';

/** After running this long, a hub considers its index intact. */
const FINE_AFTER_MS = 60_000;

export interface OpenStoreOptions {
  /** Reports how much of the journal was read. */
  readonly onProgress?: OnProgress | undefined;
  /** Called when a read finds a damaged log. */
  readonly onDamage?: (logId: string, fromSeq: number, error: Error) => void;
  /** Size of a journal segment; for tests and small disks. */
  readonly segmentBytes?: number | undefined;
}

/** Creates the folder if missing. Rejects if another store has the folder open. */
export async function openStore(
  folder: string,
  options: OpenStoreOptions = {},
): Promise<{ store: DurableStore; recovery: StoreRecovery }> {
  const unlock = await lockFolder(folder);
  try {
    return await openLocked(folder, options, unlock);
  } catch (thrown) {
    await unlock();
    throw thrown;
  }
}

async function openLocked(
  folder: string,
  options: OpenStoreOptions,
  unlock: () => Promise<void>,
): Promise<{ store: DurableStore; recovery: StoreRecovery }> {
  const found = await readFormat(folder);
  const format = found ?? newFormat();
  if (found === null) await writeFormat(folder, format);
  const files = await realFiles(join(folder, JOURNAL_FOLDER));
  // Sync even an existing folder: its creator may have crashed before the name was durable.
  await syncFolder(folder);
  const recovered = async () => recoverWith(await openIndex(folder), files, format, options, unlock);
  return recovered().catch((thrown: unknown) => {
    // The index is marked as damaged, so the second attempt creates a new one.
    if (thrown instanceof DamagedIndex) return recovered();
    throw thrown;
  });
}

async function recoverWith(
  { index, wasRenewed, isBad, isFine, renew }: OpenedIndex,
  files: Files,
  { journal_id: journalId }: FolderFormat,
  { onProgress, onDamage = () => {}, segmentBytes }: OpenStoreOptions,
  unlock: () => Promise<void>,
): Promise<{ store: DurableStore; recovery: StoreRecovery }> {
  const stopWaiting = systemClock.after(FINE_AFTER_MS, isFine);
  const onClosed = async (): Promise<void> => {
    stopWaiting();
    isFine();
    await unlock();
  };
  try {
    const opened = await recoverStore({
      files,
      index,
      journalId,
      ports: { after: systemClock.after, onDamage, onIndexDamaged: isBad, onIndexRenewed: renew, onClosed },
      segmentBytes,
      onProgress,
    });
    index.onDamage = (error) => opened.store.failIndex(error);
    return { store: opened.store, recovery: { ...opened.recovery, renewed: wasRenewed && opened.recovery.rebuilt } };
  } catch (thrown) {
    stopWaiting();
    if (thrown instanceof DamagedIndex) isBad();
    await index.close();
    throw thrown;
  }
}
