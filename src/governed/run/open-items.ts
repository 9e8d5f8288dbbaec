/** What may be open in a run: gates that wait, requests that are queued, work that was handed on, why it is blocked. */

import type { Unknowns } from '../engine/lib/unknown-record.ts';

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
  /** What the child has decided of what it had to; set when it is done. */
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

/** A request that waits for the other turns to end. */
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
  readonly reasons: readonly { readonly code: string; readonly params: Unknowns }[];
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
  /** Of the role that decided, when it did; null = its role had none. */
  readonly authority?: number | null;
  readonly status: 'active' | 'overridden';
  readonly overridden_by?: string | null;
}
