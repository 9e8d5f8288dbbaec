/** What a configuration file was, kept beside it under names of its own: nothing that is there is ever written over. */

import { lstat } from 'node:fs/promises';
import { onlyMissing, textOf, unmarked } from './config-text.ts';

const BACKUP = '.before-parley';

export interface Backup {
  readonly path: string;
  /** Without a byte order mark; null = it is something else. */
  readonly text: string | null;
}

export interface Backups {
  /** The oldest first. */
  readonly all: readonly Backup[];
  /** Where the next one goes. */
  readonly freePath: string;
}

export async function backupsOf(path: string): Promise<Backups> {
  const all: Backup[] = [];
  for (let number = 1; ; number++) {
    const at = `${path}${BACKUP}${number === 1 ? '' : `-${number}`}`;
    const found = await lstat(at).catch(onlyMissing);
    if (found === null) return { all, freePath: at };
    // What cannot be read as text, or is a link or a folder, is somebody else's.
    const text = found.isFile() ? await textOf(at).catch(() => null) : null;
    all.push({ path: at, text: text === null ? null : unmarked(text) });
  }
}
