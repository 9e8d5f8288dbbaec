/** Reads and writes the files that describe a data folder or a backup: format, journal id, list of files. */

import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../core/lib/errors.ts';
import { systemIds } from '../../system/ids.ts';
import { makeFolder, syncFolder } from '../../system/make-folder.ts';

/** Increase when older programs cannot read the folder. */
export const DATA_FORMAT = 1;

const FORMAT_NAME = 'parley.json';
const BACKUP_NAME = 'parley-backup.json';
export const JOURNAL_FOLDER = 'journal';
export const INDEX_FOLDER = 'index';

export interface FolderFormat {
  readonly format: number;
  /** Identifies the journal; an independent copy gets a different id. */
  readonly journal_id: string;
}

/** Returns null if the folder is empty. Rejects newer formats, which this program would misread. */
export async function readFormat(folder: string): Promise<FolderFormat | null> {
  const path = join(folder, FORMAT_NAME);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return assertEmptyOfData(folder);
  const found = parseFormat(text, path);
  assertKnown(`data folder ${folder}`, found.format);
  return found;
}

export function writeFormat(folder: string, format: FolderFormat): Promise<void> {
  return writeDurably(folder, FORMAT_NAME, format);
}

/** A file of a backup. */
export interface CopiedFile {
  readonly name: string;
  readonly bytes: number;
  readonly checksum: number;
}

interface BackupMark {
  readonly format: number;
  readonly files: readonly CopiedFile[];
}

/** Marks the folder as a complete backup. */
export function writeBackupMark(folder: string, mark: BackupMark): Promise<void> {
  return writeDurably(folder, BACKUP_NAME, mark);
}

export async function readBackupMark(folder: string): Promise<BackupMark> {
  const text = await readFile(join(folder, BACKUP_NAME), 'utf8').catch(() => '{}');
  // writeBackupMark wrote this, perhaps in a different version.
  const { format, files } = parsed(text) as Partial<BackupMark>;
  if (!Number.isInteger(format) || !Array.isArray(files)) {
    throw new HubError('not_a_backup', `${folder} is not a complete backup; name the folder a backup was written to`);
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
    `${what} has format ${format}, but this program knows formats up to ${DATA_FORMAT}; use the program that wrote it, or a newer one`,
  );
}

/** Writes a file that is durable on return: first the content, then the name. */
async function writeDurably(folder: string, name: string, content: object): Promise<void> {
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
  await syncFolder(folder);
}

export function newFormat(): FolderFormat {
  return { format: DATA_FORMAT, journal_id: systemIds.hex32() };
}

/** Rejects a backup, and a folder that has a journal but no format file. */
async function assertEmptyOfData(folder: string): Promise<null> {
  const names = await readdir(folder).catch(() => [] as string[]);
  if (names.includes(BACKUP_NAME)) {
    throw new HubError('is_backup', `${folder} is a backup; restore it into a new folder and open that one`);
  }
  if (!names.some((name) => name === JOURNAL_FOLDER || name.endsWith('.journal'))) return null;
  throw new HubError(
    'bad_data_folder',
    `${folder} has a journal but no ${FORMAT_NAME} to describe it; put that file back, or restore a backup`,
  );
}

function parseFormat(text: string, path: string): FolderFormat {
  const { format, journal_id } = parsed(text) as Readonly<Record<string, unknown>>;
  const isFormat = Number.isInteger(format) && Number(format) > 0;
  if (isFormat && typeof journal_id === 'string') return { format: Number(format), journal_id };
  throw new HubError(
    'bad_data_folder',
    `${path} does not describe a data folder; expected {"format":…,"journal_id":…}`,
  );
}
