/** Allows one hub per data folder, with a lock that the OS releases when the process ends. */

import { type FileHandle, open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { asError, HubError } from '../core/lib/errors.ts';
import { makeFolder } from '../system/make-folder.ts';

/** The part of `fs-native-extensions` used here; the package has no types. */
interface FileLocks {
  tryLock(fd: number): boolean;
  unlock(fd: number): void;
}

const { tryLock, unlock }: FileLocks = createRequire(import.meta.url)('fs-native-extensions');

const LOCK_NAME = 'lock';

/** Creates and locks the folder; call the result to release it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = await openLock(folder);
  try {
    if (!tryLock(file.fd)) throw await inUse(folder, file);
    await file.truncate(0);
    await file.write(`${process.pid}\n`, 0);
    return () => release(file);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Unlocks explicitly: a child process may have inherited the open file and would keep the lock. */
async function release(file: FileHandle): Promise<void> {
  unlock(file.fd);
  await file.close();
}

async function openLock(folder: string): Promise<FileHandle> {
  try {
    await makeFolder(folder);
    return await open(join(folder, LOCK_NAME), 'a+', 0o600);
  } catch (thrown) {
    const { message } = asError(thrown);
    throw new HubError('bad_data_folder', `${folder} cannot be a data folder: ${message}`, { cause: thrown });
  }
}

async function inUse(folder: string, file: FileHandle): Promise<HubError> {
  const pid = (await file.readFile('utf8').catch(() => '')).trim();
  const who = /^\d+$/.test(pid) ? `process ${pid}` : 'another process';
  return new HubError(
    'data_in_use',
    `data folder ${folder} is in use by ${who}; stop that hub, or give this one its own folder`,
  );
}
