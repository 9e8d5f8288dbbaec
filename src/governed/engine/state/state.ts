/** Defines the state of a run: ids, counters, active turns, open items. History, ledger and events hold the past. */

import type { UnknownRecord } from '../lib/unknown-record.ts';

export const STATE_VERSION = '1.1';

export const RUN_STATUSES = ['idle', 'active', 'paused', 'blocked', 'completed', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export interface RunState {
  readonly schema_version: string;
  readonly run_id: string | null;
  readonly project_id: string | null;
  readonly status: RunStatus;
  readonly phase: string | null;
  readonly accepted_integration_ref: string | null;
  readonly active_turns: Readonly<Record<string, Turn>>;
  /** Logical clock: increases with each assigned turn and each accepted turn. */
  readonly turn_sequence: number;
  readonly accepted_sequence: number;
  readonly last_completed_turn_id: string | null;
  readonly next_recommended_role: string | null;
  readonly blocked_on: string | null;
  readonly blocked_reason: BlockedReason | null;
  readonly escalation: Escalation | null;
  readonly pending_phase_transition: PendingTransition | null;
  readonly pending_run_completion: PendingCompletion | null;
  readonly queued_phase_transition: QueuedRequest | null;
  readonly queued_run_completion: QueuedRequest | null;
  readonly last_gate_failure: GateFailure | null;
  readonly phase_gate_status: Readonly<Record<string, 'pending' | 'passed' | 'failed'>>;
  readonly budget_status: { readonly spent_usd: number; readonly remaining_usd: number | null } | null;
  readonly budget_reservations: Readonly<Record<string, number>>;
  readonly delegation_queue: readonly QueuedDelegation[];
  readonly pending_delegation_review: DelegationReview | null;
  readonly created_at: string | null;
  readonly phase_entered_at: string | null;
  readonly completed_at: string | null;
  readonly provenance: UnknownRecord | null;
  readonly inherited_context: UnknownRecord | null;
  readonly repo_decisions: readonly RepoDecision[];
}

export const TURN_STATUSES = [
  'assigned',
  'dispatched',
  'starting',
  'running',
  'retrying',
  'conflicted',
  'failed',
  'failed_acceptance',
  'failed_start',
  'stalled',
] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

export interface Turn {
  readonly turn_id: string;
  readonly run_id: string | null;
  readonly assigned_role: string;
  readonly status: TurnStatus;
  /** Starts at 1. */
  readonly attempt: number;
  readonly assigned_at: string | null;
  readonly started_at: string | null;
  readonly deadline_at: string | null;
  readonly runtime_id: string;
  readonly baseline: UnknownRecord | null;
  readonly assigned_sequence: number;
  readonly concurrent_with: readonly string[];
  /** True if the events include the dispatch of the turn. */
  readonly is_dispatched: boolean;
  readonly delegation_context?: DelegationContext | null;
  readonly delegation_review?: DelegationReview | null;
  /** Other turns accepted while this one was active, with the files they changed. */
  readonly overtaken_by?: readonly { readonly turn_id: string; readonly files: readonly string[] }[];
  readonly conflict_state?: UnknownRecord | null;
  readonly last_rejection?: TurnRejection | null;
}

export interface TurnRejection {
  readonly attempt: number;
  readonly stage: string | null;
  readonly reason: string;
  readonly errors: readonly string[];
  readonly rejected_at: string;
}

export interface DelegationContext {
  readonly delegation_id: string;
  readonly parent_turn_id: string;
  readonly parent_role: string;
  readonly charter: string;
  readonly acceptance_contract: readonly string[];
  readonly required_decision_ids: readonly string[];
}

export interface QueuedDelegation extends DelegationContext {
  readonly to_role: string;
  readonly status: 'pending' | 'active' | 'completed' | 'failed';
  readonly child_turn_id: string | null;
  /** Required decisions that the child turn made or missed; set when it is accepted. */
  readonly satisfied_decision_ids: readonly string[];
  readonly missing_decision_ids: readonly string[];
}

export interface DelegationReview {
  readonly parent_turn_id: string;
  readonly parent_role: string;
  readonly results: readonly QueuedDelegation[];
}

export interface PendingTransition {
  readonly gate: string | null;
  readonly from: string | null;
  readonly to: string;
  readonly requested_by_turn?: string | null;
}

export interface PendingCompletion {
  readonly gate: string | null;
  readonly phase: string | null;
  readonly requested_by_turn?: string | null;
  readonly requested_at?: string | null;
}

/** A transition or completion request that waits until no turn is active. */
export interface QueuedRequest {
  readonly to: string | null;
  readonly requested_by_turn: string;
  readonly verification_status: string | null;
}

export interface BlockedReason {
  readonly category: string;
  readonly recovery: {
    readonly typed_reason: string;
    readonly owner: string;
    readonly recovery_action: string;
    readonly turn_retained: boolean;
    readonly detail: string;
  };
  readonly blocked_at: string;
  readonly turn_id: string | null;
}

export interface Escalation {
  readonly source: 'retries_exhausted' | 'operator' | 'turn' | 'transition';
  readonly reason: string;
  readonly detail: string | null;
  readonly raised_at: string;
}

export interface GateFailure {
  readonly gate: string | null;
  readonly gate_type: 'phase_transition' | 'run_completion';
  readonly phase: string | null;
  readonly reasons: readonly { readonly code: string; readonly params: UnknownRecord }[];
  readonly failed_at: string;
  readonly requested_by_turn: string | null;
}

export interface RepoDecision {
  readonly id: string;
  readonly run_id: string | null;
  readonly turn_id: string | null;
  readonly role: string | null;
  readonly statement?: string;
  readonly category?: string;
  /** Authority of the deciding role at the time of the decision; null if it had none. */
  readonly authority?: number | null;
  readonly status: 'active' | 'overridden';
  readonly overridden_by?: string | null;
}

export const EMPTY_STATE: RunState = Object.freeze({
  schema_version: STATE_VERSION,
  run_id: null,
  project_id: null,
  status: 'idle',
  phase: null,
  accepted_integration_ref: null,
  active_turns: {},
  turn_sequence: 0,
  accepted_sequence: 0,
  last_completed_turn_id: null,
  next_recommended_role: null,
  blocked_on: null,
  blocked_reason: null,
  escalation: null,
  pending_phase_transition: null,
  pending_run_completion: null,
  queued_phase_transition: null,
  queued_run_completion: null,
  last_gate_failure: null,
  phase_gate_status: {},
  budget_status: null,
  budget_reservations: {},
  delegation_queue: [],
  pending_delegation_review: null,
  created_at: null,
  phase_entered_at: null,
  completed_at: null,
  provenance: null,
  inherited_context: null,
  repo_decisions: [],
});
