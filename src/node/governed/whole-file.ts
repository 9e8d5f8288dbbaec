/** Files that are there whole or not at all, also after a power cut. */

import { readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { syncFolder } from '../../system/make-folder.ts';
import { makeWhole } from '../../system/atomic-file.ts';

export async function writeWhole(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await makeWhole(dirname(path), mode, async (file) => {
    await file.writeFile(content);
    return basename(path);
  });
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
