/** Reads project files with a size limit, never through a link. */

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalPath, type ReadFiles } from '../engine/index.ts';
import { parseRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';

/** Reads only the beginning of a larger file. */
const MAX_PAGE_BYTES = 256 * 1024;

/** Returns null if the path is absent, not a regular file, or outside the project. */
export function projectFiles(root: string): ReadFiles {
  return (path) => {
    const canonical = canonicalPath(path);
    return canonical === null || leadsElsewhere(root, canonical) ? null : beginningOf(join(root, canonical));
  };
}

function leadsElsewhere(root: string, canonical: string): boolean {
  try {
    return realpathSync(join(root, canonical)) !== join(realpathSync(root), canonical);
  } catch {
    return true;
  }
}

function beginningOf(place: string): string | null {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  let file: number;
  try {
    file = openSync(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(found.size, MAX_PAGE_BYTES));
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}

/** Returns the records of a JSON Lines text; skips lines that are not JSON objects, such as a torn last line. */
export function recordsIn(text: string | null): readonly UnknownRecord[] {
  return (text ?? '').split('\n').flatMap((line): readonly UnknownRecord[] => {
    const record = parseRecord(line);
    return record === null ? [] : [record];
  });
}

/** Throws if the file is absent, not regular or too large. */
export async function readRegularFile(place: string, maxBytes: number): Promise<string> {
  return (await readRegularBytes(place, maxBytes)).toString('utf8');
}

export async function readRegularBytes(place: string, maxBytes: number): Promise<Buffer> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('expected a plain file');
    if (found.size > maxBytes) throw new Error(`expected at most ${maxBytes} bytes, got ${found.size}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Reads a file of any size in parts and returns its size. */
export async function readInParts(place: string, onPart: (part: Buffer) => unknown): Promise<number> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    let size = 0;
    for await (const part of file.createReadStream({ autoClose: false })) {
      await onPart(part);
      size += part.length;
    }
    return size;
  } finally {
    await file.close();
  }
}
