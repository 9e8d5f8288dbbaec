/** Copies all durable data while the hub runs. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HubError } from '../../core/lib/errors.ts';
import { describeValue } from '../../core/lib/json.ts';
import { type Files, listArchives, listSegments, readChunks, segmentName, withFile } from '../journal/files.ts';
import type { Position } from '../journal/journal-types.ts';
import { realFiles } from '../journal/real-files.ts';
import { type CopiedFile, DATA_FORMAT, JOURNAL_FOLDER, writeBackupMark } from './data-format.ts';
import type { MaintenanceOptions, StoreInternals } from './maintenance-types.ts';

export interface BackupResult {
  readonly bytes: number;
}

/** Copies exactly the data that was durable at the start of the call. `target` must be empty or missing. */
export async function backupTo(
  parts: StoreInternals,
  target: string,
  options: MaintenanceOptions = {},
): Promise<BackupResult> {
  await assertEmpty(target);
  await parts.settle();
  const { end } = parts.journal;
  try {
    const files = await realFiles(join(target, JOURNAL_FOLDER));
    const copied = await copyParts(parts.files, files, await plan(parts.files, end), options);
    // Write the mark last: a folder without it is not a backup.
    await writeBackupMark(target, { format: DATA_FORMAT, files: copied });
    return { bytes: bytesOf(copied) };
  } catch (thrown) {
    // An incomplete copy is useless and may fill the disk.
    await rm(join(target, JOURNAL_FOLDER), { recursive: true, force: true });
    throw thrown;
  }
}

/** Rejects a folder that contains anything. */
export async function assertEmpty(folder: string): Promise<void> {
  if (typeof folder !== 'string' || folder === '') {
    throw new HubError('bad_options', `expected the path of a new folder, got ${describeValue(folder)}`);
  }
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return;
  const isHalf = names.length === 1 && names[0] === JOURNAL_FOLDER;
  const why = isHalf
    ? 'holds an interrupted backup; delete it, or name a new folder'
    : `is not empty (${names.length} names in it); name a new folder`;
  throw new HubError('folder_not_empty', `${folder} ${why}`);
}

export function bytesOf(files: readonly CopiedFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

type Part = Omit<CopiedFile, 'checksum'>;

/** Copies files whose sizes and checksums are known; rejects any that differ. */
export async function copyFiles(
  from: Files,
  to: Files,
  known: readonly CopiedFile[],
  options: MaintenanceOptions,
): Promise<readonly CopiedFile[]> {
  const there = await from.list();
  for (const { name, bytes } of known) {
    const found = there.includes(name) ? (await whole(from, name)).bytes : null;
    if (found !== bytes) throw backupDamaged(`${name} has ${found ?? 'no'} bytes instead of ${bytes}`);
  }
  const copied = await copyParts(from, to, known, options);
  const wrong = copied.find(({ checksum }, i) => checksum !== known[i]?.checksum);
  if (wrong !== undefined) throw backupDamaged(`the checksum of ${wrong.name} does not match`);
  return copied;
}

function backupDamaged(problem: string): HubError {
  return new HubError('backup_damaged', `the backup is damaged: ${problem}; use another one`);
}

/** Copies files; they are durable on return. */
async function copyParts(
  from: Files,
  to: Files,
  parts: readonly Part[],
  { onProgress }: MaintenanceOptions,
): Promise<readonly CopiedFile[]> {
  const of = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const copied: CopiedFile[] = [];
  for (const part of parts) {
    const checksum = await copyFile(from, to, part, (bytes) => {
      done += bytes;
      onProgress?.({ bytes: done, of });
    });
    copied.push({ ...part, checksum });
  }
  await to.syncFolder();
  return copied;
}

async function plan(from: Files, until: Position): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const archive of await listArchives(from)) parts.push(await whole(from, segmentName(archive)));
  for (const segment of await listSegments(from)) {
    if (segment > until.segment) continue;
    const part = await whole(from, segmentName(segment));
    parts.push(segment === until.segment ? { ...part, bytes: Math.min(part.bytes, until.offset) } : part);
  }
  return parts;
}

async function whole(files: Files, name: string): Promise<Part> {
  return { name, bytes: await withFile(files.open(name), (file) => file.size()) };
}

/** Returns the checksum of the copy. */
async function copyFile(
  from: Files,
  to: Files,
  { name, bytes }: Part,
  copied: (bytes: number) => void,
): Promise<number> {
  let checksum = 0;
  await withFile(from.open(name), (source) =>
    withFile(to.open(name, { create: true }), async (target) => {
      for await (const { at, bytes: chunk } of readChunks(source, 0, bytes)) {
        checksum = crc32(chunk, checksum);
        await target.write(at, [chunk]);
        copied(chunk.length);
      }
      await target.sync();
    }),
  );
  return checksum;
}
