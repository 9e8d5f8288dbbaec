/**
 * The state of a run for whoever only looks. From the log if nobody is at work on it, and files that differ are mended;
 * while somebody is, from state.json, which is whole at every moment and at most one operation behind the log.
 */

import type { RunState } from '../../../governed/index.ts';
import { readServedNote } from '../serving/served-note.ts';
import { failureOf } from './failure.ts';
import { mend } from './perform.ts';
import type { RunnerMeans } from './ports.ts';
import { stateOnDisk } from './state-on-disk.ts';
import { hasLog, rootOf, withRun } from './with-run.ts';

/** null = there is no run, or nothing that can be read as one. */
export async function loadState(given: string, means: RunnerMeans): Promise<RunState | null> {
  const root = await rootOf(given);
  // Of a project that a hub serves, the log that lies here is older than its files.
  if (!(await hasLog(root)) || (await readServedNote(root)) !== null) return stateIfWhole(root);
  try {
    return await withRun(root, means, stateIn, { waitMs: 0 });
  } catch (thrown) {
    const { error_code } = failureOf(thrown);
    if (error_code === 'log_damaged') return stateOnDisk(root);
    if (error_code !== 'lock_timeout') throw thrown;
    const state = await stateIfWhole(root);
    // Somebody has spoilt the file: whoever is at work mends it, or the log says.
    return state ?? (await withRun(root, means, stateIn));
  }
}

const stateIn = async (run: Parameters<typeof mend>[0]): Promise<RunState | null> => {
  await mend(run);
  return run.logs.current?.record.state.run ?? stateIfWhole(run.root);
};

async function stateIfWhole(root: string): Promise<RunState | null> {
  return stateOnDisk(root).catch(() => null);
}
