/** Files that are there whole or not at all, also after a power cut. */

import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, syncFolder } from '../../journal/make-folder.ts';

export async function writeWhole(file: string, text: string): Promise<void> {
  await makeFolder(dirname(file));
  const draft = `${file}.${process.pid}.new`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(dirname(file));
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

export function asText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
