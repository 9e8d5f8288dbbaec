/** Turns that repos have accepted and the super run does not know of yet. */

import { isMissing, own } from '../engine/lib/unknown-record.ts';
import { dispatchesOf, projectionsOf, refusalsOf } from '../engine/coordinator/state.ts';
import type { CoordinatorView } from '../engine/coordinator/gates.ts';
import type { AcceptedTurn } from './state.ts';

export interface Acceptance {
  readonly repo_id: string;
  readonly workstream_id: string;
  readonly turn: AcceptedTurn;
}

/** The first of them, in the order of the repos and of their histories. */
export function nextAcceptance(view: CoordinatorView): Acceptance | null {
  const { config, state, history, repos } = view;
  const noted = [...projectionsOf(history, state.super_run_id), ...refusalsOf(history, state.super_run_id)];
  const known = new Set(noted.map(({ repo_id, repo_turn_id }) => keyOf(repo_id, repo_turn_id)));
  for (const repo_id of Object.keys(config.repos)) {
    const linked = own(state.repo_runs, repo_id)?.run_id;
    for (const turn of own(repos, repo_id)?.accepted ?? []) {
      if (!isMissing(turn.run_id) && turn.run_id !== linked) continue;
      // A turn that ended without its work done is the repo's own business until another follows it.
      if (turn.status !== undefined && turn.status !== 'completed') continue;
      if (known.has(keyOf(repo_id, turn.turn_id))) continue;
      const workstream_id = workstreamOf(view, repo_id, turn.turn_id);
      if (workstream_id !== null) return { repo_id, workstream_id, turn };
    }
  }
  return null;
}

/** The one it was dispatched for. A turn that nobody dispatched counts only where there is no doubt. */
function workstreamOf({ config, state, history }: CoordinatorView, repoId: string, turnId: string): string | null {
  const sent = dispatchesOf(history, state.super_run_id).find(
    ({ repo_id, repo_turn_id }) => repo_id === repoId && repo_turn_id === turnId,
  );
  if (sent !== undefined) return sent.workstream_id;
  const possible = Object.entries(config.workstreams).filter(
    ([, { phase, repos }]) => phase === state.phase && repos.includes(repoId),
  );
  return possible.length === 1 ? (possible[0]?.[0] ?? null) : null;
}

function keyOf(repoId: string, turnId: string): string {
  return JSON.stringify([repoId, turnId]);
}
