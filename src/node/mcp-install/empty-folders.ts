/** The folders that were made for a file go with it, as far as nothing is in them. */

import { rmdir } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { Places } from '../../mcp/install/tools.ts';

/** Of the home and of the project, up to these; one that the environment names is somebody's choice, and stays. */
export async function removeEmptyFolders(file: string, { home, project, env }: Places): Promise<void> {
  const named = new Set(Object.values(env).map((value) => (value ? resolve(value) : '')));
  const isOurs = (folder: string): boolean =>
    !named.has(folder) &&
    folder !== resolve(project) &&
    (isBelow(folder, resolve(home)) || isBelow(folder, resolve(project)));
  for (let folder = dirname(resolve(file)); isOurs(folder); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

function isBelow(folder: string, top: string): boolean {
  const way = relative(top, folder);
  return way !== '' && !way.startsWith('..') && way !== folder;
}
