/** A super run at its start: every repo's run linked, every workstream with its barrier. */

import { type CoordinatorConfig, coordinatorPhases, type Workstream } from '../engine/coordinator/config.ts';
import type { SuperRunEntry } from '../engine/coordinator/state.ts';
import {
  type Barrier,
  type Barriers,
  COORDINATOR_STATE_VERSION,
  type CoordinatorState,
  type RepoRun,
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
  const started: SuperRunEntry = {
    type: 'super_run_started',
    timestamp: now,
    super_run_id: superRunId,
    repo_runs: repoRuns,
  };
  return { state, barriers: Object.fromEntries(barriers), history: [started] };
}

/** A workstream that lists a repo wants it, also one that gates do not ask. */
function barrierOf(workstream_id: string, workstream: Workstream): Barrier {
  const { completion_barrier: type, repos } = workstream;
  const ids =
    type === 'interface_alignment' || type === 'named_decisions' ? workstream[type]?.decision_ids_by_repo : undefined;
  return {
    type,
    workstream_id,
    status: 'pending',
    required_repos: repos,
    satisfied_repos: [],
    ...(ids === undefined ? {} : { required_decision_ids_by_repo: ids }),
  };
}
