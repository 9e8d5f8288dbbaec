/** Reads processes from /proc. Without /proc, a process group is known by its number only. */

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** In ticks since boot; with the pid it identifies a process. */
  readonly startedAt: number;
}

export const hasProcessTable: boolean = existsSync('/proc/self/stat');

/** null if the process is gone or a zombie. */
export function readProcess(pid: number): ProcessEntry | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  // The name, in parentheses, may contain anything, including blanks and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return null;
  const [parent, group, session, startedAt] = [fields[1], fields[2], fields[3], fields[19]].map(Number);
  if (parent === undefined || group === undefined || session === undefined || startedAt === undefined) return null;
  return { pid, parent, group, session, startedAt };
}

/** True if the process has this environment variable; false if unreadable. */
export function hasVariable(pid: number, name: string): boolean {
  const environ = readOrNull(`/proc/${pid}/environ`);
  return environ !== null && (environ.startsWith(`${name}=`) || environ.includes(`\0${name}=`));
}

/** True if the process holds an open file with `name` in its path; false if unreadable. */
export function holdsFile(pid: number, name: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => linkOrNull(`${folder}/${fd}`)?.includes(name) === true);
  } catch {
    return false;
  }
}

export function processIds(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended, or belongs to another user.
    return null;
  }
}

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // The file was closed meanwhile.
    return null;
  }
}
