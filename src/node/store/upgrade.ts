/** Brings an older data folder to the format of this program, after a copy of it was put aside. */

import { cp, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  asideName,
  DATA_FORMAT,
  type FolderFormat,
  JOURNAL_FOLDER,
  newFormat,
  syncPath,
  writeFormat,
} from '../../store/maintenance/data-format.ts';

/** From each format to the next one. A step may be cut off by a crash and begun again. */
const STEPS: Readonly<Record<number, (folder: string) => Promise<FolderFormat>>> = {
  0: intoFolders,
};

export async function upgradeFolder(folder: string, found: FolderFormat): Promise<FolderFormat> {
  if (found.format === DATA_FORMAT) return found;
  await putAside(folder, found.format);
  let format = found;
  for (let step = STEPS[format.format]; step !== undefined; step = STEPS[format.format]) {
    format = await step(folder);
    await writeFormat(folder, format);
  }
  return format;
}

/** Left where it is: whoever upgraded decides when it goes. */
async function putAside(folder: string, format: number): Promise<void> {
  const aside = join(folder, asideName(format));
  const part = `${aside}.part`;
  const names = await readdir(folder);
  if (names.includes(asideName(format))) return;
  await mkdir(part, { recursive: true });
  for (const name of names) {
    if (name.startsWith('before-format-') || name === 'lock') continue;
    await cp(join(folder, name), join(part, name), { recursive: true });
    await syncPath(join(part, name));
  }
  await syncPath(part);
  await rename(part, aside);
  await syncPath(folder);
}

/** Format 1 keeps the journal in a folder of its own, beside the index. */
async function intoFolders(folder: string): Promise<FolderFormat> {
  const journal = join(folder, JOURNAL_FOLDER);
  await mkdir(journal, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.endsWith('.journal')) await rename(join(folder, name), join(journal, name));
  }
  await syncPath(journal);
  await syncPath(folder);
  return newFormat();
}
