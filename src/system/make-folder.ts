/** Makes a folder, for its owner alone, whose name, and the names of those made above it, survive a power cut. */

import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

const OWNERS_ALONE = 0o700;

/** One after the other: Node's own way to make several goes round for ever where a file system takes no folders, as /proc. */
export async function makeFolder(folder: string): Promise<void> {
  for (const path of await missingFolders(folder)) {
    await mkdir(path, { mode: OWNERS_ALONE }).catch(async (thrown: NodeJS.ErrnoException) => {
      // Somebody else was first.
      if (thrown.code !== 'EEXIST' || !(await isFolder(path))) throw thrown;
    });
    await syncFolder(dirname(path));
  }
}

/** What would have to be made, from the top; it throws if something else is in the way. */
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

/** The names in it survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
