/** What runs for a home folder, as /proc shows it: by its environment or by where it is, whoever is its parent by now. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Of each its pid, the program it is, and its words, cut: what it calls itself may be anything. */
export function processesOf(home: string): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid || !isOf(pid, home)) return [];
    const words = read(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1')).replaceAll('\0', ' ');
    return [`${pid} ${read(() => readlinkSync(`/proc/${pid}/exe`))} ${words.slice(0, 120)}`];
  });
}

function isOf(pid: string, home: string): boolean {
  const variables = read(() => readFileSync(`/proc/${pid}/environ`, 'latin1')).split('\0');
  const folder = read(() => readlinkSync(`/proc/${pid}/cwd`));
  return variables.includes(`HOME=${home}`) || folder === home || folder.startsWith(`${home}/`);
}

/** Nothing, of a process that has ended meanwhile or belongs to somebody else. */
function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
