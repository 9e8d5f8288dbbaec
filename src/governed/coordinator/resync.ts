/** The repos' own word on where they are becomes the coordinator's. */

import { type CoordinatorChange, changed, line } from '../engine/coordinator/change.ts';
import type { CoordinatorView } from '../engine/coordinator/gates.ts';
import type { RepoRun } from './state.ts';

export function resyncRepoRuns(
  view: CoordinatorView,
  repo_runs: Readonly<Record<string, RepoRun>>,
  now: string,
): CoordinatorChange {
  const next = { ...view.state, repo_runs, updated_at: now };
  return changed(view, next, [line(view.state, 'repo_runs_resynced', now, { repo_runs })]);
}
