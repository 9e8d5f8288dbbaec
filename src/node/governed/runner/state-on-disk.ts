/** The state of a run as its file has it, with every member looked at. */

import { asError } from '../../../core/lib/errors.ts';
import { RUN_FOLDER } from '../../../governed/engine/dispatch/paths.ts';
import type { RunState } from '../../../governed/index.ts';
import type { Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { importedState } from '../../../governed/session/state/imported-state.ts';
import { RunnerRefusal } from '../../../governed/runner/contract/failure.ts';
import { BOOKS, filesFound } from './found-files.ts';

/** null = there is no file; one that is no state is refused with what is wrong in it. */
export async function stateOnDisk(root: string): Promise<RunState | null> {
  const found = await filesFound(root);
  return found === null ? null : stateIn(found.state);
}

export function stateIn(found: Unknowns): RunState {
  try {
    return importedState(found, 'state');
  } catch (thrown) {
    throw new RunnerRefusal('invalid_state', `${RUN_FOLDER}/${BOOKS.state}: ${asError(thrown).message}`);
  }
}
