/** Creates private folders whose names survive a power cut. */

import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const OWNER_ONLY = 0o700;

/** Creates one folder at a time: `recursive` loops forever on file systems that reject folders, such as /proc. */
export async function makeFolder(folder: string): Promise<void> {
  for (const path of await missingFolders(folder)) {
    await mkdir(path, { mode: OWNER_ONLY }).catch(async (thrown: NodeJS.ErrnoException) => {
      // Another process may have created it.
      if (thrown.code !== 'EEXIST' || !(await isFolder(path))) throw thrown;
    });
    await syncFolder(dirname(path));
  }
}

/** The missing folders of a path, from the top; throws if a file is in the way. */
export async function missingFolders(folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let path = resolve(folder); !(await isFolder(path)); path = dirname(path)) missing.unshift(path);
  return missing;
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw thrown;
  });
  if (found !== null && !found.isDirectory()) throw new Error(`${path} is there and is no folder`);
  return found !== null;
}

/** Makes the names in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
