/** Opens the runs of a project for one operation, under its lock, and closes them again. */

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FOLDER } from '../../../governed/dispatch/places.ts';
import { takeLock } from '../lock.ts';
import { placeIn } from '../safe-place.ts';
import { badArgument, RunnerRefusal } from './failure.ts';
import { type OpenedHub, openLocalHub } from './log/local-hub.ts';
import { SessionLogs } from './log/session-logs.ts';
import type { OpenRun } from './open-run.ts';
import type { RunnerMeans } from './ports.ts';

export const LOCK_FOLDER: string = `${RUN_FOLDER}/locks/run`;
export const LOG_FOLDER: string = `${RUN_FOLDER}/log`;

export interface WithRunOptions {
  /** How long it waits for whoever is at work; 5 s unless told. */
  readonly waitMs?: number;
}

export async function withRun<T>(
  given: string,
  means: RunnerMeans,
  perform: (run: OpenRun) => Promise<T>,
  { waitMs }: WithRunOptions = {},
): Promise<T> {
  const root = await rootOf(given);
  const { clock, kept, reached } = means;
  const folder = await placeIn(root, LOCK_FOLDER);
  const locked = await takeLock(folder, { owner: kept.owner, clock, ...(waitMs === undefined ? {} : { waitMs }) });
  if (!locked.ok) throw new RunnerRefusal(locked.error_code, locked.error);
  try {
    await reached('locked');
    return await opened(root, means, perform);
  } finally {
    await locked.lock.release();
    await reached('released');
  }
}

async function opened<T>(root: string, means: RunnerMeans, perform: (run: OpenRun) => Promise<T>): Promise<T> {
  const hub: OpenedHub = await openLocalHub(await placeIn(root, LOG_FOLDER), means);
  try {
    const logs = await SessionLogs.read(hub, means);
    await means.reached('opened');
    return await perform({ root, logs, means });
  } finally {
    await hub.close();
    await means.reached('closed');
  }
}

/** One project has one name, by whatever links it is reached. */
export async function rootOf(given: unknown): Promise<string> {
  if (typeof given !== 'string' || given === '') throw badArgument('root', 'the path of a folder', given);
  const found = await realpath(given).catch(() => null);
  const isFolder = found !== null && (await stat(found)).isDirectory();
  if (!isFolder) throw badArgument('root', 'the path of a folder that is there', given);
  return found;
}

/** Whether a run was ever kept here. */
export async function hasLog(root: string): Promise<boolean> {
  return stat(join(root, LOG_FOLDER)).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
