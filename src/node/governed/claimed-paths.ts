/** Paths an agent claims to have changed, looked at on the disk: an alias by a link is the same as one by dots. */

import { realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { canonicalPath, isReserved } from '../../governed/index.ts';

export interface PathFault {
  readonly path: string;
  readonly code: 'not_in_project' | 'reserved' | 'leads_outside' | 'leads_to_reserved';
}

export async function pathFaults(root: string, paths: readonly string[]): Promise<readonly PathFault[]> {
  const realRoot = await realpath(root);
  const found = await Promise.all(paths.map((path) => codeOf(realRoot, path)));
  return paths.flatMap((path, at) => {
    const code = found[at];
    return code === null || code === undefined ? [] : [{ path, code }];
  });
}

async function codeOf(realRoot: string, path: string): Promise<PathFault['code'] | null> {
  const canonical = canonicalPath(path);
  if (canonical === null) return 'not_in_project';
  if (isReserved(canonical)) return 'reserved';
  const real = relative(realRoot, await resolved(join(realRoot, canonical)));
  const inside = canonicalPath(real.split(sep).join('/'));
  if (real.startsWith('..') || inside === null) return 'leads_outside';
  return isReserved(inside) ? 'leads_to_reserved' : null;
}

/** Where it leads; of what is not there, where its nearest folder does. */
async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(await resolved(folder), path.slice(folder.length + 1));
  }
}
