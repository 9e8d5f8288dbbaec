/** Copies a journal up to a place, byte by byte: what is damaged stays damaged and can be judged later. */

import type { Files, OpenFile } from '../journal/files.ts';
import type { Position } from '../journal/journal-types.ts';
import { listArchives, listSegments, segmentName } from '../journal/segments.ts';
import type { CareOptions } from './care-types.ts';

const CHUNK_BYTES = 1024 * 1024;

interface Part {
  readonly name: string;
  readonly bytes: number;
}

/** Gives the bytes copied. `until` null = all there is. Durable when it returns. */
export async function copyJournal(
  from: Files,
  to: Files,
  until: Position | null,
  { onProgress }: CareOptions,
): Promise<number> {
  const parts = await plan(from, until);
  const of = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let copied = 0;
  for (const part of parts) {
    await copyFile(from, to, part, (bytes) => {
      copied += bytes;
      onProgress?.({ bytes: copied, of });
    });
  }
  await to.syncFolder();
  return copied;
}

async function plan(from: Files, until: Position | null): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const archive of await listArchives(from)) parts.push(await whole(from, segmentName(archive)));
  for (const segment of await listSegments(from)) {
    if (until !== null && segment > until.segment) continue;
    const part = await whole(from, segmentName(segment));
    parts.push(segment === until?.segment ? { ...part, bytes: Math.min(part.bytes, until.offset) } : part);
  }
  return parts;
}

async function whole(files: Files, name: string): Promise<Part> {
  return { name, bytes: await withFile(await files.open(name), (file) => file.size()) };
}

async function copyFile(from: Files, to: Files, { name, bytes }: Part, copied: (bytes: number) => void): Promise<void> {
  await withFile(await from.open(name), (source) =>
    withFile(to.open(name, { create: true }), async (target) => {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        const chunk = await source.read(at, Math.min(CHUNK_BYTES, bytes - at));
        await target.write(at, [chunk]);
        copied(chunk.length);
      }
      await target.sync();
    }),
  );
}

async function withFile<T>(opening: OpenFile | Promise<OpenFile>, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await opening;
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
