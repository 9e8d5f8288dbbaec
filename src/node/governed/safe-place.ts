/** A place in a project by its canonical path: no alias, nothing outside, and no symbolic link on the way. */

import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

import { canonicalPath } from '../../governed/index.ts';
import { isTurnId } from '../../governed/turns/turn-id.ts';
import { FileRefusal } from './refusal.ts';

export async function placeIn(root: string, path: string): Promise<string> {
  if (canonicalPath(path) !== path) {
    throw new FileRefusal('unsafe_path', `${JSON.stringify(path)}: expected a canonical path inside the project`);
  }
  const link = await linkOnTheWay(root, path);
  if (link !== null) throw new FileRefusal('unsafe_path', `${path}: ${link} is a symbolic link`);
  return join(root, path);
}

export function checkTurnId(turnId: string): void {
  if (isTurnId(turnId)) return;
  throw new FileRefusal('unsafe_path', `${JSON.stringify(turnId)}: expected a turn id that can name a folder`);
}

/** The first part of the path that is a link; null = none, as far as it exists. */
export async function linkOnTheWay(root: string, path: string): Promise<string | null> {
  const parts = path.split('/');
  for (let n = 1; n <= parts.length; n++) {
    const part = parts.slice(0, n).join('/');
    const found = await lookAt(join(root, part));
    if (found === null) return null;
    if (found.isSymbolicLink()) return part;
  }
  return null;
}

/** null = there is nothing. What is in the way of looking, a file where a folder should be, is nothing either. */
export async function lookAt(path: string): Promise<Stats | null> {
  return lstat(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return null;
    throw thrown;
  });
}
