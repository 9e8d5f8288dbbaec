/** How a file comes about whole: a draft beside its place, synced, then renamed. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, syncFolder } from './make-folder.ts';

/** `fill` writes a draft in that folder and answers the name it gets when it is on the disk. */
export async function makeWhole(
  folder: string,
  mode: number,
  fill: (file: FileHandle) => Promise<string>,
): Promise<void> {
  await makeFolder(folder);
  const draft = draftOf(join(folder, 'file'));
  const file = await open(draft, 'wx', mode);
  try {
    const name = await fill(file);
    await file.sync();
    await file.close();
    await rename(draft, join(folder, name));
  } catch (thrown) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw thrown;
  }
  await syncFolder(folder);
}

/** A name that nobody else has, in the same folder: only there a rename is one step. */
export function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.new`);
}
