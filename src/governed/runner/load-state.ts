/**
 * The state of a run for whoever only looks. From the log if nobody is at work on it, and files that differ are mended;
 * while somebody is, from state.json, which is whole at every moment and at most one operation behind the log. A hub that serves
 * the project is asked.
 */

import type { RunState } from '../engine/index.ts';
import { failureOf } from './contract/failure.ts';
import type { RunnerContext } from './log/runner-context.ts';
import { hasLog, rootOf, withRun } from './log/with-run.ts';
import { stateOnDisk } from './project/imported-files.ts';
import { repairProjections } from './run-operation.ts';
import { askState } from './served/ask-served.ts';
import { readServedNote, type ServedNote } from './served/served-note.ts';

/** null = there is no run, or nothing that can be read as one. */
export async function loadState(given: string, means: RunnerContext): Promise<RunState | null> {
  const root = await rootOf(given);
  // Of a project that a hub serves, the log that lies here is older than its files.
  const note = await readServedNote(root);
  if (note !== null) return servedState(root, note, means);
  if (!(await hasLog(root))) return stateIfWhole(root);
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

/** While there is nobody to ask, what the files show is all there is. */
const NOT_THERE = ['hub_not_running', 'hub_not_answering', 'outcome_unknown', 'lock_timeout', 'log_damaged'];

/** The hub has nothing of a run that it could not take over yet. */
async function servedState(root: string, note: ServedNote, means: RunnerContext): Promise<RunState | null> {
  try {
    return (await askState(root, note, means)) ?? (await stateIfWhole(root));
  } catch (thrown) {
    if (!NOT_THERE.includes(failureOf(thrown).error_code)) throw thrown;
    return stateIfWhole(root);
  }
}

const stateIn = async (run: Parameters<typeof repairProjections>[0]): Promise<RunState | null> => {
  await repairProjections(run);
  return run.logs.current?.record.state.run ?? stateIfWhole(run.root);
};

async function stateIfWhole(root: string): Promise<RunState | null> {
  return stateOnDisk(root).catch(() => null);
}
