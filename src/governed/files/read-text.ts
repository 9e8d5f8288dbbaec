/** Reads files of a project: bounded, never through a link. */

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalPath, type ReadFiles } from '../engine/index.ts';
import { parseRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';

/** Enough for a page that people read; of a larger one, its beginning. */
const MAX_PAGE_BYTES = 256 * 1024;

/** null = it is not there, is no plain file, or is none of the project. */
export function projectFiles(root: string): ReadFiles {
  return (path) => {
    const canonical = canonicalPath(path);
    return canonical === null || leadsElsewhere(root, canonical) ? null : beginningOf(join(root, canonical));
  };
}

/** By a link, itself or on the way. */
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

/** The records of a file of lines. A last line that was torn is left out. */
export function recordsIn(text: string | null): readonly UnknownRecord[] {
  return (text ?? '').split('\n').flatMap((line): readonly UnknownRecord[] => {
    const record = parseRecord(line);
    return record === null ? [] : [record];
  });
}

/** Throws for what is not there, is no plain file or is larger. */
export async function readRegularFile(place: string, maxBytes: number): Promise<string> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const file = await open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('expected a plain file');
    if (found.size > maxBytes) throw new Error(`expected at most ${maxBytes} bytes, got ${found.size}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
