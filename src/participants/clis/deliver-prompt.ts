/** Folders for prompts in files. Whose they are is in their names, so that those of a process that was killed are found by the next one. */

import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readProcess } from '../processes/tree/process-table.ts';

const NAME = /^parley-prompt-([0-9a-f]{8})-(\d+)-(\d+)-/;

/** For us alone (0700). */
export function makePromptFolder(root: string, pid: number = process.pid): Promise<string> {
  return mkdtemp(join(root, `parley-prompt-${placeOf()}-${pid}-${startedAt(pid)}-`));
}

/** Takes away what processes of this machine have left that live no more. What cannot be looked at stays where it is. */
export async function sweepPromptFolders(root: string): Promise<void> {
  const place = placeOf();
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const [, where, pid, started] = NAME.exec(name) ?? [];
    if (where !== place || isAlive(Number(pid), Number(started))) continue;
    await remove(join(root, name)).catch(() => {});
  }
}

/** Not what somebody else has put there under such a name. */
async function remove(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await rm(path, { recursive: true });
}

/** Process numbers say nothing on another machine, or in another container that shares the folder. */
function placeOf(): string {
  let numbers = '';
  try {
    numbers = readlinkSync('/proc/self/ns/pid');
  } catch {
    // There is no such thing here: the machine is all there is.
  }
  return createHash('sha256').update(`${hostname()} ${numbers}`).digest('hex').slice(0, 8);
}

/** Numbers are used again: with its start a process is named for good, where that is told. */
function startedAt(pid: number): number {
  return readProcess(pid)?.startedAt ?? 0;
}

function isAlive(pid: number, started: number): boolean {
  if (started !== 0) return startedAt(pid) === started;
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // One that may not be signalled lives.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
