/** Of several processes that change a file one does so at a time: the others wait for it, and then find what it wrote. */

import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Trouble } from '../../cli/terminal/command-error.ts';
import { onlyMissing } from './config-text.ts';

/** A change takes a few milliseconds. */
const PATIENCE_MS = 1_000;
const LOOK_MS = 10;

export async function oneAtATime<T>(path: string, change: () => Promise<T>): Promise<T> {
  const lock = `${path}.parley-lock`;
  await mkdir(dirname(path), { recursive: true });
  await take(lock, path);
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string, path: string): Promise<void> {
  for (const until = performance.now() + PATIENCE_MS; ; ) {
    if (await isTaken(lock)) return;
    const holder = await readFile(lock, 'utf8').catch(onlyMissing);
    // Whoever was killed while it held it does not come back. What is empty is about to be written.
    if (holder !== null && holder !== '' && !isAlive(Number(holder))) await rm(lock, { force: true });
    if (performance.now() > until) {
      const problem = `${path} is being changed by another process; nothing was written`;
      throw new Trouble('failed', 'config_busy', problem, `Do it again. If there is none, remove ${lock} first.`);
    }
    await sleep(LOOK_MS);
  }
}

async function isTaken(lock: string): Promise<boolean> {
  const handle = await open(lock, 'wx', 0o600).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return null;
    throw thrown;
  });
  if (handle === null) return false;
  await handle.writeFile(String(process.pid)).finally(() => handle.close());
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (thrown) {
    // One that may not be signalled lives.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
