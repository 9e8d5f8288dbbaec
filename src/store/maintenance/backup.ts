/** Copies a journal up to a place, byte by byte: what is damaged stays damaged and can be judged later. */

import { crc32 } from 'node:zlib';
import { HubError } from '../../core/lib/errors.ts';
import type { Files, OpenFile } from '../../node/journal/files.ts';
import type { Position } from '../journal/journal-types.ts';
import { listArchives, listSegments, segmentName } from '../../node/journal/segments.ts';
import type { CareOptions } from './maintenance-types.ts';

const CHUNK_BYTES = 1024 * 1024;

interface Part {
  readonly name: string;
  readonly bytes: number;
}

/** What is in a file, for whoever copies it again. */
export interface CopiedFile extends Part {
  readonly checksum: number;
}

/** Up to `until`. Durable when it returns. */
export async function copyJournal(
  from: Files,
  to: Files,
  until: Position,
  options: CareOptions,
): Promise<readonly CopiedFile[]> {
  return copyParts(from, to, await plan(from, until), options);
}

/** Files of which it is known what is in them. One that is not so is refused, before it is used for anything. */
export async function copyFiles(
  from: Files,
  to: Files,
  known: readonly CopiedFile[],
  options: CareOptions,
): Promise<readonly CopiedFile[]> {
  const there = await from.list();
  for (const { name, bytes } of known) {
    const found = there.includes(name) ? (await whole(from, name)).bytes : null;
    if (found !== bytes) throw notWhole(name, `has ${found ?? 'no'} bytes instead of ${bytes}`);
  }
  const copied = await copyParts(from, to, known, options);
  const wrong = copied.find(({ checksum }, i) => checksum !== known[i]?.checksum);
  if (wrong !== undefined) throw notWhole(wrong.name, 'is not what was written: its checksum is another');
  return copied;
}

function notWhole(name: string, what: string): HubError {
  return new HubError('backup_damaged', `the backup is not whole: ${name} ${what}; use another one`);
}

async function copyParts(
  from: Files,
  to: Files,
  parts: readonly Part[],
  { onProgress }: CareOptions,
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
  return { name, bytes: await withFile(await files.open(name), (file) => file.size()) };
}

/** Gives the checksum of what was copied. */
async function copyFile(
  from: Files,
  to: Files,
  { name, bytes }: Part,
  copied: (bytes: number) => void,
): Promise<number> {
  let checksum = 0;
  await withFile(await from.open(name), (source) =>
    withFile(to.open(name, { create: true }), async (target) => {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        const chunk = await source.read(at, Math.min(CHUNK_BYTES, bytes - at));
        checksum = crc32(chunk, checksum);
        await target.write(at, [chunk]);
        copied(chunk.length);
      }
      await target.sync();
    }),
  );
  return checksum;
}

async function withFile<T>(opening: OpenFile | Promise<OpenFile>, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await opening;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
