/**
 * The state of a super run (the runs of several repos under one coordinator), and the lines of its history and ledgers.
 * The state is computed from the history. Lines of the history are never rewritten.
 */

import type { RunState } from '../state/state.ts';
import type { BarrierType, IdsByRepo } from './config.ts';

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

export interface ProjectionEntry {
  readonly type: 'acceptance_projection';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly projection_ref: string;
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_run_id: string | null;
  readonly repo_turn_id: string;
  readonly summary: string;
  readonly files_changed: readonly string[];
  readonly decisions: readonly unknown[];
  readonly verification: unknown;
}

export interface DispatchEntry {
  readonly type: 'turn_dispatched';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_turn_id: string;
  readonly context_ref: string;
}

export interface SuperRunEntry {
  readonly type:
    | 'super_run_started'
    | 'repo_runs_resynced'
    | 'projection_refused'
    | 'gate_requested'
    | 'gate_approved'
    | 'gate_withdrawn'
    | 'super_run_blocked'
    | 'super_run_resolved'
    | 'super_run_completed';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly [member: string]: unknown;
}

export type HistoryLine = ProjectionEntry | DispatchEntry | SuperRunEntry;

export interface BarrierLedgerEntry {
  readonly type: 'barrier_transition';
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly barrier_id: string;
  readonly workstream_id: string;
  readonly previous_status: BarrierStatus;
  readonly new_status: BarrierStatus;
  /** What made it change: a projection, or the approval of a gate. */
  readonly causation: Readonly<Record<string, unknown>>;
}

export interface CoordinatorDecision {
  /** DEC-COORD- and a number. */
  readonly id: string;
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly category: 'gate';
  readonly statement: string;
  readonly gate: string;
  readonly decided_by: string;
}

/** Of this super run; lines of an earlier one in the same file do not count. A line that names none is of this one. */
export function projectionsOf(history: readonly unknown[], superRunId: string): readonly ProjectionEntry[] {
  const lines = linesOf(history, superRunId, 'acceptance_projection') as readonly ProjectionEntry[];
  // A line that somebody else wrote may leave them out.
  return lines.map((line) => ({ ...line, decisions: Array.isArray(line.decisions) ? line.decisions : [] }));
}

export function dispatchesOf(history: readonly unknown[], superRunId: string): readonly DispatchEntry[] {
  return linesOf(history, superRunId, 'turn_dispatched') as readonly DispatchEntry[];
}

/** Turns that may not be projected, and of which a person was told. */
export function refusalsOf(
  history: readonly unknown[],
  superRunId: string,
): readonly { readonly repo_id: string; readonly repo_turn_id: string }[] {
  return linesOf(history, superRunId, 'projection_refused') as readonly ProjectionEntry[];
}

function linesOf(history: readonly unknown[], superRunId: string, type: string): readonly unknown[] {
  return history.filter((line) => {
    if (typeof line !== 'object' || line === null) return false;
    const { type: its, super_run_id = superRunId } = line as { type?: unknown; super_run_id?: unknown };
    return its === type && super_run_id === superRunId;
  });
}
