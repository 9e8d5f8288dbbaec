/** Processes of a home folder, found in /proc by environment or working folder, whatever their parent. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Pid, executable and start of the arguments of each process. */
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

/** Empty for a process that ended meanwhile or belongs to another user. */
function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
