/** Defines the state of a super run, and the lines of its append-only history and ledgers. */

import { isRecord } from '../lib/unknown-record.ts';
import type { RunState } from '../state/state.ts';
import type { BarrierType, IdsByRepo } from './config.ts';

export const COORDINATOR_STATE_VERSION = '0.1';

export const SUPER_RUN_STATUSES = ['active', 'paused', 'blocked', 'completed'] as const;
export type SuperRunStatus = (typeof SUPER_RUN_STATUSES)[number];

export interface RepoRun {
  readonly run_id: string;
  readonly status: string;
  readonly phase?: string | null;
  /** False if the coordinator linked an existing run. */
  readonly initialized_by_coordinator?: boolean;
}

export interface PendingGate {
  readonly gate_type: 'phase_transition' | 'run_completion';
  readonly gate: string;
  readonly from: string;
  /** null if the gate ends the super run. */
  readonly to: string | null;
  readonly required_repos: readonly string[];
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
  readonly satisfied_repos: readonly string[];
  readonly required_decision_ids_by_repo?: IdsByRepo;
  /** Former name; a plain list applies to every repo. */
  readonly alignment_decision_ids?: IdsByRepo | readonly string[];
}

/** Barriers by id; each one names its workstream. */
export type Barriers = Readonly<Record<string, Barrier>>;

/** The part of a repo's state that the coordinator reads. */
export type RepoState = Pick<RunState, 'run_id' | 'status'> &
  Partial<Pick<RunState, 'phase' | 'active_turns' | 'pending_phase_transition' | 'pending_run_completion'>>;

export interface RepoFacts {
  /** null if the state file is missing or invalid. */
  readonly state: RepoState | null;
  readonly accepted: readonly AcceptedTurn[];
}

/** An entry of a repo's history. */
export interface AcceptedTurn {
  readonly turn_id: string;
  readonly run_id?: string | null;
  readonly status?: string;
  readonly summary?: string;
  readonly files_changed?: readonly (string | { readonly path: string })[];
  readonly decisions?: readonly (string | { readonly id?: unknown })[];
  readonly verification?: unknown;
}

interface Line<Type extends string> {
  readonly type: Type;
  readonly timestamp: string;
  readonly super_run_id: string;
}

export interface ProjectionEntry extends Line<'acceptance_projection'> {
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

export interface DispatchEntry extends Line<'turn_dispatched'> {
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_turn_id: string;
  readonly context_ref: string;
}

type SuperRunEvent =
  | 'super_run_started'
  | 'repo_runs_resynced'
  | 'projection_refused'
  | 'gate_requested'
  | 'gate_approved'
  | 'gate_withdrawn'
  | 'super_run_blocked'
  | 'super_run_resolved'
  | 'super_run_completed';

export interface SuperRunEntry extends Line<SuperRunEvent> {
  readonly [member: string]: unknown;
}

export type HistoryLine = ProjectionEntry | DispatchEntry | SuperRunEntry;

export interface BarrierLedgerEntry extends Line<'barrier_transition'> {
  readonly barrier_id: string;
  readonly workstream_id: string;
  readonly previous_status: BarrierStatus;
  readonly new_status: BarrierStatus;
  /** The projection or gate approval that caused the change. */
  readonly causation: Readonly<Record<string, unknown>>;
}

export interface CoordinatorDecision {
  /** DEC-COORD-<number>. */
  readonly id: string;
  readonly timestamp: string;
  readonly super_run_id: string;
  readonly category: 'gate';
  readonly statement: string;
  readonly gate: string;
  readonly decided_by: string;
}

/** Returns the projections of this super run, including lines without a super run id. */
export function projectionsOf(history: readonly unknown[], superRunId: string): readonly ProjectionEntry[] {
  const lines = linesOf(history, superRunId, 'acceptance_projection') as readonly ProjectionEntry[];
  // Lines of other writers may lack decisions.
  return lines.map((line) => ({ ...line, decisions: Array.isArray(line.decisions) ? line.decisions : [] }));
}

export function dispatchesOf(history: readonly unknown[], superRunId: string): readonly DispatchEntry[] {
  return linesOf(history, superRunId, 'turn_dispatched') as readonly DispatchEntry[];
}

/** Returns turns whose projection was refused and reported to an operator. */
export function refusalsOf(history: readonly unknown[], superRunId: string): readonly RefusedTurn[] {
  return linesOf(history, superRunId, 'projection_refused') as readonly RefusedTurn[];
}

type RefusedTurn = Pick<ProjectionEntry, 'repo_id' | 'repo_turn_id'>;

function linesOf(history: readonly unknown[], superRunId: string, type: string): readonly unknown[] {
  return history
    .filter(isRecord)
    .filter((line) => line.type === type && (line.super_run_id === undefined || line.super_run_id === superRunId));
}
