/** Where paths really lead: links are followed, step by step, also those whose end is not there yet. */

import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, sep } from 'node:path';

/** More links than this on one way are a circle. */
const MOST_LINKS = 40;

/** The place behind an absolute path; null = its links go round in circles. */
export async function realPlace(path: string): Promise<string | null> {
  const { root } = parse(path);
  const left = partsOf(path.slice(root.length));
  let place = root;
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '..') {
      place = dirname(place);
      continue;
    }
    const next = join(place, part);
    const target = await linkAt(next);
    if (target === null) {
      place = next;
      continue;
    }
    if (++links > MOST_LINKS) return null;
    const { root: top } = parse(target);
    if (top !== '') place = top;
    left.unshift(...partsOf(target.slice(top.length)));
  }
  return place;
}

/** In the folder, or the folder itself. Both real. */
export function isInside(folder: string, place: string): boolean {
  const way = relative(folder, place);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function linkAt(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw thrown;
  }
}

/** `a/..` stays as it is until somebody has looked where `a` leads. */
function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}
