/** Makes a folder whose name, and the names of those made above it, survive a power cut. */

import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let path = dirname(resolve(folder)); ; path = dirname(path)) {
    await syncFolder(path);
    if (path === top) return;
  }
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
