/** Small files of a project, read without following a link, and never more of them than asked for. */

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalPath, type ReadFiles } from '../index.ts';
import { isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';

/** Enough for a page that people read; of a larger one, its beginning. */
const MAX_PAGE_BYTES = 256 * 1024;

/** null = it is not there, is no plain file, or is none of the project. */
export function filesOf(root: string): ReadFiles {
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
export function recordsIn(text: string | null): readonly Unknowns[] {
  return (text ?? '').split('\n').flatMap((line) => {
    try {
      const record: unknown = JSON.parse(line);
      return isRecord(record) ? [record] : [];
    } catch {
      return [];
    }
  });
}
