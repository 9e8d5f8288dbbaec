/** Starts, blocks and resolves a super run, and updates it from the state of the repos. */

import { getOwn } from '../lib/unknown-record.ts';
import { declaredIds } from './barriers.ts';
import { type ChangeOutcome, type CoordinatorChange, historyLine, refused, toChange } from './change.ts';
import { type CoordinatorConfig, coordinatorPhases, type Workstream } from './config.ts';
import type { CoordinatorView } from './gates.ts';
import {
  type Barrier,
  type Barriers,
  COORDINATOR_STATE_VERSION,
  type CoordinatorState,
  type RepoRun,
  type SuperRunEntry,
} from './state.ts';

export interface SuperRunBegun {
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  readonly history: readonly SuperRunEntry[];
}

export interface SuperRunBeginning {
  readonly superRunId: string;
  readonly repoRuns: Readonly<Record<string, RepoRun>>;
  readonly now: string;
}

export function beginSuperRun(config: CoordinatorConfig, beginning: SuperRunBeginning): SuperRunBegun {
  const { superRunId, repoRuns, now } = beginning;
  const state: CoordinatorState = {
    schema_version: COORDINATOR_STATE_VERSION,
    super_run_id: superRunId,
    project_id: config.project.id,
    status: 'active',
    phase: coordinatorPhases(config)[0] ?? '',
    repo_runs: repoRuns,
    pending_gate: null,
    phase_gate_status: {},
    blocked_reason: null,
    created_at: now,
    updated_at: now,
    completed_at: null,
  };
  const barriers = Object.entries(config.workstreams).map(([id, one]) => [`${id}_completion`, barrierOf(id, one)]);
  const started = historyLine(state, 'super_run_started', now, { repo_runs: repoRuns });
  return { state, barriers: Object.fromEntries(barriers), history: [started] };
}

/** Requires every listed repo, even one that gates do not wait for. */
function barrierOf(workstream_id: string, workstream: Workstream): Barrier {
  const { completion_barrier: type, repos } = workstream;
  const ids = declaredIds(type, workstream);
  return {
    type,
    workstream_id,
    status: 'pending',
    required_repos: repos,
    satisfied_repos: [],
    ...(ids === undefined ? {} : { required_decision_ids_by_repo: ids }),
  };
}

export function blockSuperRun(
  view: CoordinatorView,
  { code, detail, now }: { readonly code: string; readonly detail: string; readonly now: string },
): ChangeOutcome {
  const { state } = view;
  if (state.status === 'completed' || state.status === 'blocked') {
    return refused('invalid_state_transition', 'not_running', `super run ${state.super_run_id} is ${state.status}`);
  }
  const blocked_reason = { code, detail, blocked_at: now };
  const next = { ...state, status: 'blocked' as const, blocked_reason, updated_at: now };
  return toChange(view, next, [historyLine(state, 'super_run_blocked', now, { code, detail })]);
}

/** Records, only once, that the projection of the turn was refused, and blocks the super run; the repo needs another turn. */
export function blockByProjection(
  view: CoordinatorView,
  refused: { readonly repo_id: string; readonly repo_turn_id: string; readonly code: string; readonly detail: string },
  now: string,
): ChangeOutcome {
  const change = blockSuperRun(view, { ...refused, now });
  if (!change.ok) return change;
  return { ...change, history: [historyLine(view.state, 'projection_refused', now, refused), ...change.history] };
}

export interface SuperRunResolution {
  readonly by: string;
  readonly resolution: string;
  readonly now: string;
  /** Repos whose current run becomes the linked run. */
  readonly relink?: readonly string[];
}

/** Resolves a blocked super run; a pending gate stays pending. */
export function resolveSuperRun(
  view: CoordinatorView,
  { by, resolution, now, relink = [] }: SuperRunResolution,
): ChangeOutcome {
  const { state } = view;
  if (state.status !== 'blocked') {
    const error = `super run ${state.super_run_id} is ${state.status}, not blocked`;
    return refused('invalid_state_transition', 'not_blocked', error, { status: state.status });
  }
  const relinked: Record<string, RepoRun> = {};
  for (const id of relink) {
    const found = getOwn(view.repos, id)?.state ?? null;
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
  return toChange(view, next, [historyLine(state, 'super_run_resolved', now, { by, resolution, relinked })]);
}

export function resyncRepoRuns(
  view: CoordinatorView,
  repo_runs: Readonly<Record<string, RepoRun>>,
  now: string,
): CoordinatorChange {
  const next = { ...view.state, repo_runs, updated_at: now };
  return toChange(view, next, [historyLine(view.state, 'repo_runs_resynced', now, { repo_runs })]);
}
