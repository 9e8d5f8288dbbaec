/** Turns that are out with a picture of the others that is no longer true. */

import type { CoordinatorConfig } from './config.ts';
import { type CoordinatorState, dispatchesOf, type ProjectionEntry } from './state.ts';

export interface Invalidation {
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_turn_id: string;
  readonly context_ref: string;
  /** What they have not seen. */
  readonly invalidated_by: string;
}

interface InvalidationInput {
  readonly config: CoordinatorConfig;
  readonly state: CoordinatorState;
  readonly history: readonly unknown[];
  /** With the one that has just come. */
  readonly projections: readonly ProjectionEntry[];
  readonly by: ProjectionEntry;
}

/** Dispatched, not projected yet, and of the same workstream or of one that depends on it. */
export function invalidationsOf({
  config,
  state,
  history,
  projections,
  by,
}: InvalidationInput): readonly Invalidation[] {
  const concerned = dependents(config, by.workstream_id);
  const back = new Set(projections.map(({ repo_id, repo_turn_id }) => JSON.stringify([repo_id, repo_turn_id])));
  return dispatchesOf(history, state.super_run_id)
    .filter(({ workstream_id }) => concerned.has(workstream_id))
    .filter(({ repo_id, repo_turn_id }) => !back.has(JSON.stringify([repo_id, repo_turn_id])))
    .map(({ workstream_id, repo_id, repo_turn_id, context_ref }) => ({
      workstream_id,
      repo_id,
      repo_turn_id,
      context_ref,
      invalidated_by: by.projection_ref,
    }));
}

/** With the workstream itself, and those that depend on it through others. */
function dependents({ workstreams }: CoordinatorConfig, id: string): ReadonlySet<string> {
  const found = new Set([id]);
  for (const before of found) {
    for (const [other, { depends_on = [] }] of Object.entries(workstreams)) {
      // A set that grows while it is walked is walked to its end.
      if (depends_on.includes(before)) found.add(other);
    }
  }
  return found;
}
