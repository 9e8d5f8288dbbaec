/** Opens the runs of a project under its lock for one operation, then closes them. */

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../../../core/lib/errors.ts';
import { RUN_FOLDER } from '../../engine/dispatch/paths.ts';
import { LOCK_WAIT_MS, takeLock } from '../../files/lock.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { badArgument, RunnerRefusal } from '../contract/failure.ts';
import { type OpenedHub, openLocalHub } from './local-hub.ts';
import type { OpenRun, RunnerContext } from './runner-context.ts';
import { SessionLogs } from './session-log.ts';

export const LOCK_FOLDER: string = `${RUN_FOLDER}/locks/run`;
export const LOG_FOLDER: string = `${RUN_FOLDER}/log`;
const LOOK_AGAIN_MS = 50;

interface WithRunOptions {
  /** How long to wait for the lock (default: 5 s). */
  readonly waitMs?: number;
  /** Checked while waiting and again under the lock; true stops the operation on this log. */
  readonly isMoot?: () => Promise<boolean>;
}

export async function withRun<T>(
  given: string,
  means: RunnerContext,
  perform: (run: OpenRun) => Promise<T>,
  { waitMs = LOCK_WAIT_MS, isMoot = async () => false }: WithRunOptions = {},
): Promise<T> {
  const root = await rootOf(given);
  const { clock, kept, reached } = means;
  const until = clock.monotonic() + waitMs;
  const locked = await takeLock(await resolveInside(root, LOCK_FOLDER), { owner: kept.owner, clock, waitMs, isMoot });
  if (!locked.ok) throw new RunnerRefusal(locked.error_code, locked.error);
  try {
    await reached('locked');
    if (await isMoot()) throw new RunnerRefusal('lock_timeout', `${root}: its log moved to a hub during the wait`);
    return await opened(root, means, until, perform);
  } finally {
    await locked.lock.release();
    await reached('released');
  }
}

async function opened<T>(
  root: string,
  means: RunnerContext,
  until: number,
  perform: (run: OpenRun) => Promise<T>,
): Promise<T> {
  const hub = await openedHub(await resolveInside(root, LOG_FOLDER), means, until);
  try {
    const logs = await SessionLogs.read(hub, means);
    await means.reached('opened');
    return await perform({ root, logs, means });
  } finally {
    await hub.close();
    await means.reached('closed');
  }
}

/** Retries while the store is in use: a stopped process may lose the project lock but keep the store's system lock. */
async function openedHub(folder: string, means: RunnerContext, until: number): Promise<OpenedHub> {
  const { clock } = means;
  for (;;) {
    try {
      return await openLocalHub(folder, means);
    } catch (thrown) {
      const isHeld = thrown instanceof HubError && thrown.code === 'data_in_use';
      if (!isHeld || clock.monotonic() >= until) throw thrown;
      await new Promise<void>((done) => clock.after(LOOK_AGAIN_MS, done));
    }
  }
}

/** Resolves links, so that each project has exactly one root. */
export async function rootOf(given: unknown): Promise<string> {
  if (typeof given !== 'string' || given === '') throw badArgument('root', 'the path of a folder', given);
  const found = await realpath(given).catch(() => null);
  const isFolder = found !== null && (await stat(found)).isDirectory();
  if (!isFolder) throw badArgument('root', 'the path of an existing folder', given);
  return found;
}

export async function hasLog(root: string): Promise<boolean> {
  return stat(join(root, LOG_FOLDER)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
