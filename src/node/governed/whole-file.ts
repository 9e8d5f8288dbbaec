/** Files that are there whole or not at all, also after a power cut. */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../journal/make-folder.ts';

export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await makeWhole(dirname(path), mode, async (file) => {
    await file.writeFile(content);
    return basename(path);
  });
}

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

export function asText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** null = there is none. */
export async function readWhole(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
}

export async function removeWhole(file: string): Promise<void> {
  await rm(file, { force: true });
  await syncFolder(dirname(file));
}
