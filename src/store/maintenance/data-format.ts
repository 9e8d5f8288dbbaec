/** The files that describe a data folder or a backup: format, journal id, list of files. */

import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { systemIds } from '../../system/ids.ts';
import { makeFolder } from '../../system/make-folder.ts';

/** Raise when older programs could not read the folder. */
export const DATA_FORMAT = 1;

const FORMAT_NAME = 'parley.json';
const BACKUP_NAME = 'parley-backup.json';
export const JOURNAL_FOLDER = 'journal';
export const INDEX_FOLDER = 'index';

export interface FolderFormat {
  readonly format: number;
  /** Identifies the journal; an independent copy gets another. */
  readonly journal_id: string;
}

/** null = empty folder. Rejects newer formats: this program would misread them. */
export async function readFormat(folder: string): Promise<FolderFormat | null> {
  const path = join(folder, FORMAT_NAME);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null && (await isBackup(folder))) {
    throw new HubError('is_backup', `${folder} is a backup; restore it into a new folder and open that one`);
  }
  if (text === null) return unnamedFormat(folder);
  const found = parseFormat(text, path);
  assertKnown(`data folder ${folder}`, found.format);
  return found;
}

export function writeFormat(folder: string, format: FolderFormat): Promise<void> {
  return writeWhole(folder, FORMAT_NAME, format);
}

export interface CopiedFile {
  readonly name: string;
  readonly bytes: number;
  readonly checksum: number;
}

export interface BackupMark {
  readonly format: number;
  readonly files: readonly CopiedFile[];
}

/** Marks the folder as a complete backup. */
export function writeBackupMark(folder: string, mark: BackupMark): Promise<void> {
  return writeWhole(folder, BACKUP_NAME, mark);
}

export async function readBackupMark(folder: string): Promise<BackupMark> {
  const text = await readFile(join(folder, BACKUP_NAME), 'utf8').catch(() => '{}');
  // Written by writeBackupMark, perhaps of another version.
  const { format, files } = parsed(text) as Partial<BackupMark>;
  if (!Number.isInteger(format) || !Array.isArray(files)) {
    throw new HubError('not_a_backup', `${folder} is not a whole backup; give the folder that a backup was written to`);
  }
  assertKnown(`backup ${folder}`, Number(format));
  return { format: Number(format), files };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function assertKnown(what: string, format: number): void {
  if (format <= DATA_FORMAT) return;
  throw new HubError(
    'data_too_new',
    `${what} has format ${format} and this program knows formats up to ${DATA_FORMAT}; use the program that wrote it, or a newer one`,
  );
}

async function isBackup(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [] as string[])).includes(BACKUP_NAME);
}

/** Durable on return: first the content, then the name. */
async function writeWhole(folder: string, name: string, content: object): Promise<void> {
  await makeFolder(folder);
  const path = join(folder, name);
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content)}\n`);
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

/** null = empty folder. Never touch journal files that nothing describes. */
async function unnamedFormat(folder: string): Promise<FolderFormat | null> {
  const names = await readdir(folder).catch(() => [] as string[]);
  if (!names.some((name) => name === JOURNAL_FOLDER || name.endsWith('.journal'))) return null;
  throw new HubError(
    'bad_data_folder',
    `${folder} has a journal and no ${FORMAT_NAME} that says what it is; put that file back, or restore a backup`,
  );
}

function parseFormat(text: string, path: string): FolderFormat {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === 'object' && found !== null && 'format' in found && 'journal_id' in found) {
      const { format, journal_id } = found;
      if (Number.isInteger(format) && Number(format) > 0 && typeof journal_id === 'string')
        return { format: Number(format), journal_id };
    }
  } catch {
    // Said below.
  }
  throw new HubError(
    'bad_data_folder',
    `${path} does not say what this folder is; expected {"format":…,"journal_id":…}`,
  );
}
