/** How many files this process has open, and how many it may have: a socket is one of them. */

import { readdirSync, readFileSync } from 'node:fs';

export interface OpenFiles {
  readonly open: number;
  readonly limit: number;
}

/** null = this system does not tell. */
export function openFiles(folder = '/proc/self'): OpenFiles | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(`${folder}/limits`, 'utf8'))?.[1];
    return soft === undefined ? null : { open: readdirSync(`${folder}/fd`).length, limit: Number(soft) };
  } catch {
    // There is no such folder, or it may not be read.
    return null;
  }
}
