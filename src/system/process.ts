/** Facts about processes: open files of this one, and whether another is alive. */

import { readdirSync, readFileSync } from 'node:fs';

export interface OpenFiles {
  readonly open: number;
  readonly limit: number;
}

/** null if the system does not report open files. */
export function openFiles(folder = '/proc/self'): OpenFiles | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync(`${folder}/limits`, 'utf8'))?.[1];
    return soft === undefined ? null : { open: readdirSync(`${folder}/fd`).length, limit: Number(soft) };
  } catch {
    return null;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: the process exists, but belongs to another user.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
