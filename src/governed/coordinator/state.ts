/** A super run: several repos' runs under one coordinator. What happened is in its history; this is where it stands. */

import type { RunState } from '../run/state.ts';
import type { BarrierType, IdsByRepo } from '../engine/coordinator/config.ts';

export const COORDINATOR_STATE_VERSION = '0.1';

export const SUPER_RUN_STATUSES = ['active', 'paused', 'blocked', 'completed'] as const;
export type SuperRunStatus = (typeof SUPER_RUN_STATUSES)[number];

export interface RepoRun {
  readonly run_id: string;
  readonly status: string;
  readonly phase?: string | null;
  /** False: it was running already, and was linked. */
  readonly initialized_by_coordinator?: boolean;
}

export interface PendingGate {
  readonly gate_type: 'phase_transition' | 'run_completion';
  readonly gate: string;
  readonly from: string;
  /** null behind the last phase. */
  readonly to: string | null;
  readonly required_repos: readonly string[];
  /** Barriers that its approval satisfies. */
  readonly human_barriers: readonly string[];
  readonly requires_human_approval: boolean;
  readonly requested_at: string;
}

export interface CoordinatorState {
  readonly schema_version: string;
  readonly super_run_id: string;
  readonly project_id: string | null;
  readonly status: SuperRunStatus;
  readonly phase: string;
  readonly repo_runs: Readonly<Record<string, RepoRun>>;
  readonly pending_gate: PendingGate | null;
  readonly phase_gate_status: Readonly<Record<string, 'pending' | 'passed'>>;
  readonly blocked_reason: { readonly code: string; readonly detail: string; readonly blocked_at: string } | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly completed_at: string | null;
}

export const BARRIER_STATUSES = ['pending', 'partially_satisfied', 'satisfied'] as const;
export type BarrierStatus = (typeof BARRIER_STATUSES)[number];

export interface Barrier {
  readonly type: BarrierType;
  readonly workstream_id: string;
  readonly status: BarrierStatus;
  readonly required_repos: readonly string[];
  /** Those that have done their part. */
  readonly satisfied_repos: readonly string[];
  readonly required_decision_ids_by_repo?: IdsByRepo;
  /** The same under an older name; a plain list is wanted of every repo. */
  readonly alignment_decision_ids?: IdsByRepo | readonly string[];
}

/** By id. Ids are names and nothing else: what a barrier belongs to, it says itself. */
export type Barriers = Readonly<Record<string, Barrier>>;

/** What the coordinator reads of a repo's own state. */
export type RepoState = Pick<RunState, 'run_id' | 'status'> &
  Partial<Pick<RunState, 'phase' | 'active_turns' | 'pending_phase_transition' | 'pending_run_completion'>>;

/** A repo as it was found: its state, and what its run has accepted. */
export interface RepoFacts {
  /** null = there is none that can be read. */
  readonly state: RepoState | null;
  readonly accepted: readonly AcceptedTurn[];
}

/** A turn that a repo's run has accepted: an entry of its history. */
export interface AcceptedTurn {
  readonly turn_id: string;
  readonly run_id?: string | null;
  readonly status?: string;
  readonly summary?: string;
  readonly files_changed?: readonly (string | { readonly path: string })[];
  readonly decisions?: readonly (string | { readonly id?: unknown })[];
  readonly verification?: unknown;
}
