/**
 * Reads the state of a run from the serving hub, or else from the log, which also repairs the files. While another
 * process holds the log, reads state.json, which is always complete and at most one operation behind.
 */

import type { RunState } from '../engine/index.ts';
import { failureOf } from './contract/failure.ts';
import type { OpenRun, RunnerContext } from './log/runner-context.ts';
import { hasLog, rootOf, withRun } from './log/with-run.ts';
import { stateOnDisk } from './project/imported-files.ts';
import { repairProjections } from './run-operation.ts';
import { askState } from './served/ask-served.ts';
import { readServedNote, type ServedNote } from './served/served-note.ts';

/** Returns null if there is no readable run. */
export async function loadState(given: string, means: RunnerContext): Promise<RunState | null> {
  const root = await rootOf(given);
  // While a hub serves the project, the project's own log is older than its files.
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
    // state.json is damaged, so wait for the log.
    return state ?? (await withRun(root, means, stateIn));
  }
}

/** Errors after which the files are the only source. */
const UNREACHABLE = ['hub_not_running', 'hub_not_answering', 'outcome_unknown', 'lock_timeout', 'log_damaged'];

/** Falls back to the files if the hub has not taken the run over yet. */
async function servedState(root: string, note: ServedNote, means: RunnerContext): Promise<RunState | null> {
  try {
    return (await askState(root, note, means)) ?? (await stateIfWhole(root));
  } catch (thrown) {
    if (!UNREACHABLE.includes(failureOf(thrown).error_code)) throw thrown;
    return stateIfWhole(root);
  }
}

async function stateIn(run: OpenRun): Promise<RunState | null> {
  await repairProjections(run);
  return run.logs.current?.record.state.run ?? stateIfWhole(run.root);
}

async function stateIfWhole(root: string): Promise<RunState | null> {
  return stateOnDisk(root).catch(() => null);
}
