/** Writes files atomically, even across a power cut: write a temporary file beside the target, sync, then rename. */

import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, syncFolder } from './make-folder.ts';

export async function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await writeAtomically(dirname(path), mode, async (file) => {
    await file.writeFile(content);
    return basename(path);
  });
}

export function asText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** null if the file does not exist. */
export async function readFileOrNull(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown;
  });
}

export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true });
  await syncFolder(dirname(file));
}

export interface DraftFile {
  writeFile(content: string | Uint8Array): Promise<void>;
}

/** `fill` writes a temporary file in `folder` and returns its final name. */
export async function writeAtomically(
  folder: string,
  mode: number,
  fill: (file: DraftFile) => Promise<string>,
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

/** A unique name in the same folder: only there is a rename atomic. */
export function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString('hex')}.new`);
}
