/**
 * Locks a folder among processes that share only the disk. Each holder creates the file of the next number,
 * so that a holder wrongly presumed dead sees a higher number and stops.
 */

import { open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../core/ports/platform.ts';
import { systemClock } from '../../system/clock.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { isAlive } from '../../system/process.ts';

export interface HeldLock {
  /** Greater than the token of every earlier holder. */
  readonly token: number;
  /** False if another process has taken the lock. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

type Locked =
  | { readonly ok: true; readonly lock: HeldLock }
  | { readonly ok: false; readonly error_code: 'lock_timeout'; readonly error: string };

interface LockOptions {
  /** Name of the holder in the error messages of waiting processes. */
  readonly owner: string;
  readonly waitMs?: number;
  readonly clock?: Clock;
  /** Returns true to stop waiting. */
  readonly isMoot?: () => Promise<boolean>;
}

export const LOCK_WAIT_MS = 5000;
const BEAT_MS = 500;
/** Silence, measured by the waiter's clock, after which a holder counts as dead. Shorter than LOCK_WAIT_MS. */
const SILENT_MS = 3000;
const LOOK_AGAIN_MS = 25;
const RELEASED = '.released';

export async function takeLock(folder: string, options: LockOptions): Promise<Locked> {
  const { owner, waitMs = LOCK_WAIT_MS, clock = systemClock, isMoot = async () => false } = options;
  await makeFolder(folder);
  const startedAt = clock.monotonic();
  let seen = { beat: '', at: startedAt };
  for (;;) {
    const { token, isReleased } = await highest(folder);
    const beat = `${token} ${await lastBeat(folder, token)}`;
    if (beat !== seen.beat) seen = { beat, at: clock.monotonic() };
    if (isReleased || clock.monotonic() - seen.at >= SILENT_MS || (await isOwnerGone(folder, token))) {
      const lock = await tryTake(folder, token + 1, owner, clock);
      if (lock !== null) return { ok: true, lock };
    }
    if (clock.monotonic() - startedAt >= waitMs || (await isMoot())) {
      const sinceMs = Math.round(Math.min(clock.monotonic() - startedAt, waitMs));
      const error = `the lock ${folder} is held by ${await ownerOf(folder, token)} for longer than ${sinceMs} ms`;
      return { ok: false, error_code: 'lock_timeout', error };
    }
    await new Promise<void>((done) => clock.after(LOOK_AGAIN_MS, done));
  }
}

/** True if a holder may still be alive. Creates no files. */
export async function isLockHeld(folder: string): Promise<boolean> {
  const { token, isReleased } = await highest(folder).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return { token: 0, isReleased: true };
    throw thrown;
  });
  return !isReleased && !(await isOwnerGone(folder, token));
}

interface Owner {
  readonly owner: string;
  readonly pid: number;
  readonly host: string;
}

async function readOwner(folder: string, token: number): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(join(folder, String(token)), 'utf8')) as Owner;
  } catch {
    return null;
  }
}

/** True if the holder ran on this machine and its process has ended. */
async function isOwnerGone(folder: string, token: number): Promise<boolean> {
  const found = await readOwner(folder, token);
  return found !== null && found.host === hostname() && !isAlive(found.pid);
}

async function ownerOf(folder: string, token: number): Promise<string> {
  const found = await readOwner(folder, token);
  return found === null ? 'another process' : `${found.owner} (process ${found.pid} on ${found.host})`;
}

async function tryTake(folder: string, token: number, owner: string, clock: Clock): Promise<HeldLock | null> {
  const file = join(folder, String(token));
  if (!(await create(file, JSON.stringify({ owner, pid: process.pid, host: hostname() })))) return null;
  // Another process may have used and removed this number meanwhile.
  if ((await highest(folder)).token !== token) {
    await rm(file, { force: true });
    return null;
  }
  await clearBelow(folder, token);
  return held(folder, token, clock);
}

function held(folder: string, token: number, clock: Clock): HeldLock {
  const file = join(folder, String(token));
  let stop: () => void = () => undefined;
  let isOver = false;
  const beat = (): void => {
    stop = clock.after(BEAT_MS, () => {
      const at = new Date(clock.now());
      // Ignore a failed beat: waiters only see a longer silence.
      void utimes(file, at, at)
        .catch(() => undefined)
        .then(() => isOver || beat());
    });
  };
  beat();
  return {
    token,
    isHeld: async () => !isOver && (await highest(folder)).token === token,
    async release() {
      if (isOver) return;
      isOver = true;
      stop();
      // If the folder is gone, nobody waits for the lock.
      await create(file + RELEASED, '').catch(() => false);
    },
  };
}

async function create(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.close();
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
  if (text !== '') await writeFile(file, text);
  return true;
}

/** The file with the highest number is never removed, so numbers only grow. */
async function highest(folder: string): Promise<{ readonly token: number; readonly isReleased: boolean }> {
  const names = await readdir(folder);
  const token = Math.max(0, ...names.map(tokenOf));
  return { token, isReleased: token === 0 || names.includes(`${token}${RELEASED}`) };
}

async function clearBelow(folder: string, token: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const its = tokenOf(name.replace(RELEASED, ''));
    if (its > 0 && its < token) await rm(join(folder, name), { force: true });
  }
}

async function lastBeat(folder: string, token: number): Promise<number> {
  return stat(join(folder, String(token))).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function tokenOf(name: string): number {
  return /^\d{1,15}$/.test(name) ? Number(name) : 0;
}

export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, perform: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const done = before.then(perform, perform);
    this.#last.set(name, done);
    try {
      return await done;
    } finally {
      if (this.#last.get(name) === done) this.#last.delete(name);
    }
  }
}
