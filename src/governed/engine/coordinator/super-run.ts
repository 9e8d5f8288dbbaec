/** A super run that cannot go on by itself, and the explicit word that lets it. */

import { own } from '../lib/unknown-record.ts';
import { type CoordinatorChange, changed, line } from './change.ts';
import type { CoordinatorView } from './gates.ts';
import { type CoordinatorRefusal, refused } from '../../coordinator/refusal.ts';
import type { RepoRun } from '../../coordinator/state.ts';

export function blockSuperRun(
  view: CoordinatorView,
  { code, detail, now }: { readonly code: string; readonly detail: string; readonly now: string },
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  if (state.status === 'completed' || state.status === 'blocked') {
    return refused('invalid_state_transition', 'not_running', `super run ${state.super_run_id} is ${state.status}`);
  }
  const blocked_reason = { code, detail, blocked_at: now };
  const next = { ...state, status: 'blocked' as const, blocked_reason, updated_at: now };
  return changed(view, next, [line(state, 'super_run_blocked', now, { code, detail })]);
}

/** A turn that may not be projected: a person is told once, and the repo needs another turn. */
export function blockByProjection(
  view: CoordinatorView,
  refused: { readonly repo_id: string; readonly repo_turn_id: string; readonly code: string; readonly detail: string },
  now: string,
): CoordinatorChange | CoordinatorRefusal {
  const change = blockSuperRun(view, { ...refused, now });
  if (!change.ok) return change;
  return { ...change, history: [line(view.state, 'projection_refused', now, refused), ...change.history] };
}

export interface SuperRunResolution {
  readonly by: string;
  readonly resolution: string;
  readonly now: string;
  /** Repos whose present run takes the place of the one that was linked. */
  readonly relink?: readonly string[];
}

/** A gate that was pending is pending again. */
export function resolveSuperRun(
  view: CoordinatorView,
  { by, resolution, now, relink = [] }: SuperRunResolution,
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  if (state.status !== 'blocked') {
    const error = `super run ${state.super_run_id} is ${state.status}, not blocked`;
    return refused('invalid_state_transition', 'not_blocked', error, { status: state.status });
  }
  const relinked: Record<string, RepoRun> = {};
  for (const id of relink) {
    const found = own(view.repos, id)?.state ?? null;
    if (found?.run_id === null || found?.run_id === undefined) {
      return refused('invalid_state_transition', 'repo_state_missing', `repo "${id}" has no run to link`);
    }
    relinked[id] = {
      run_id: found.run_id,
      status: 'linked',
      phase: found.phase ?? null,
      initialized_by_coordinator: false,
    };
  }
  const status = state.pending_gate === null ? ('active' as const) : ('paused' as const);
  const repo_runs = { ...state.repo_runs, ...relinked };
  const next = { ...state, status, repo_runs, blocked_reason: null, updated_at: now };
  return changed(view, next, [line(state, 'super_run_resolved', now, { by, resolution, relinked })]);
}
