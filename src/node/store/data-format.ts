/** What a data folder says of itself. */

import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/errors.ts';
import { systemIds } from '../system-ids.ts';

/** Grows when a program that knows only the number before could not read the folder. */
export const DATA_FORMAT = 1;

const FORMAT_NAME = 'parley.json';
const BACKUP_NAME = 'parley-backup.json';
export const JOURNAL_FOLDER = 'journal';
export const INDEX_FOLDER = 'index';

export interface FolderFormat {
  readonly format: number;
  /** Tells this journal from every other; a copy that goes its own way gets another one. */
  readonly journal_id: string;
}

/** null = nothing is there yet. Newer data is refused: this program would not know what it overlooks. */
export async function readFormat(folder: string): Promise<FolderFormat | null> {
  const path = join(folder, FORMAT_NAME);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null && (await isBackup(folder))) {
    throw new HubError('is_backup', `${folder} is a backup; restore it into a new folder and open that one`);
  }
  if (text === null) return (await hasLooseSegments(folder)) ? { format: 0, journal_id: '' } : null;
  const found = parseFormat(text, path);
  if (found.format > DATA_FORMAT) {
    throw new HubError(
      'data_too_new',
      `data folder ${folder} has format ${found.format} and this program knows formats up to ${DATA_FORMAT}; use the program that wrote it, or a newer one`,
    );
  }
  return found;
}

export function writeFormat(folder: string, format: FolderFormat): Promise<void> {
  return writeWhole(folder, FORMAT_NAME, format);
}

/** Says that the folder is a whole backup. */
export function writeBackupMark(folder: string, format: FolderFormat): Promise<void> {
  return writeWhole(folder, BACKUP_NAME, format);
}

export async function isBackup(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [] as string[])).includes(BACKUP_NAME);
}

/** Durable when it returns: first the content, then the name. */
async function writeWhole(folder: string, name: string, format: FolderFormat): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  const file = await open(`${path}.new`, 'w');
  try {
    await file.writeFile(`${JSON.stringify(format)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncPath(folder);
}

export function newFormat(): FolderFormat {
  return { format: DATA_FORMAT, journal_id: systemIds.hex32() };
}

/** What was written to a file, or the names in a folder, survive a power cut. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Format 0 had its segments in the folder itself, and did not say so. */
async function hasLooseSegments(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.some((name) => name.endsWith('.journal'));
}

function parseFormat(text: string, path: string): FolderFormat {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null && 'format' in found && 'journal_id' in found) {
      const { format, journal_id } = found;
      if (Number.isInteger(format) && typeof journal_id === 'string') return { format: Number(format), journal_id };
    }
  } catch {
    // Said below.
  }
  throw new HubError(
    'bad_data_folder',
    `${path} does not say what this folder is; expected {"format":…,"journal_id":…}`,
  );
}
