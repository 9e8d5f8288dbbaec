/** The state of a run: ids, counters and open items. What happened is in history, ledger and events. */

import type { Unknowns } from '../engine/lib/unknown-record.ts';
import type {
  BlockedReason,
  DelegationReview,
  Escalation,
  GateFailure,
  PendingCompletion,
  PendingTransition,
  QueuedDelegation,
  QueuedRequest,
  RepoDecision,
} from './open-items.ts';
import type { Turn } from './turn.ts';

export type * from './open-items.ts';
export type { Turn, TurnRejection, TurnStatus } from './turn.ts';

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
  /** A logical clock: one more at each assignment and each acceptance. */
  readonly turn_sequence: number;
  /** How many turns were accepted. */
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
  readonly provenance: Unknowns | null;
  readonly inherited_context: Unknowns | null;
  readonly repo_decisions: readonly RepoDecision[];
}
