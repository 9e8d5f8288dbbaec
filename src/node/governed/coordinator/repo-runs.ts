/** What the coordinator has others do: a repo's own runner begins runs and assigns turns in it. */

import { asError } from '../../../core/lib/errors.ts';
import type { CoordinatorContext } from '../../../governed/index.ts';

export interface RepoPlace {
  readonly id: string;
  readonly root: string;
}

export interface RunnerFailure {
  readonly ok: false;
  readonly error: string;
}

export interface RepoRuns {
  begin(
    repo: RepoPlace,
  ): Promise<{ readonly ok: true; readonly run_id: string; readonly phase: string | null } | RunnerFailure>;
  /** Takes back what `begin` has done. `runId` null: nobody saw how it ended; there may be nothing to take back. */
  undo(repo: RepoPlace, runId: string | null): Promise<{ readonly ok: true } | RunnerFailure>;
  /** Gives the repo a turn; the context is at `contextFolder` by then. */
  assign(
    repo: RepoPlace,
    context: CoordinatorContext,
    contextFolder: string,
  ): Promise<{ readonly ok: true; readonly turn_id: string } | RunnerFailure>;
}

/** What others do may throw, at once or later: that is a failure like any other. */
export async function attempted<T>(run: () => Promise<T>): Promise<T | RunnerFailure> {
  try {
    return await run();
  } catch (thrown) {
    return { ok: false, error: asError(thrown).message };
  }
}
