/** What the system says of processes: how many files this one has open, and whether another is alive. */

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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It is there, and not ours to ask.
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
