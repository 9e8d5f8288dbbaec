/** The files of a folder, down to the last one, with their sizes and digests. Links are named and not followed. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObservedFile } from '../../../governed/engine/dispatch/manifest.ts';

/** null = there is no such folder. */
export async function observe(folder: string): Promise<readonly ObservedFile[] | null> {
  try {
    return await observeBelow(folder, '');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT' || (thrown as NodeJS.ErrnoException).code === 'ENOTDIR') {
      return null;
    }
    throw thrown;
  }
}

async function observeBelow(folder: string, prefix: string): Promise<readonly ObservedFile[]> {
  const found: ObservedFile[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${prefix}${entry.name}`;
    const place = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await observeBelow(place, `${path}/`)));
    else if (entry.isSymbolicLink()) found.push({ kind: 'symlink', path });
    else if (entry.isFile()) found.push({ kind: 'file', path, ...(await digestOfFile(place)) });
    else found.push({ kind: 'other', path });
  }
  return found;
}

/** In pieces: a file may be larger than what is good for memory. */
export async function digestOfFile(path: string): Promise<{ readonly sha256: string; readonly size: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const part of file.createReadStream({ autoClose: false })) {
      hash.update(part);
      size += part.length;
    }
    return { sha256: hash.digest('hex'), size };
  } finally {
    await file.close();
  }
}
