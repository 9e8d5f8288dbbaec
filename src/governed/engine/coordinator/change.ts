/** Defines the outcome of a coordinator operation: changed state, barriers and ledger lines, or a refusal. */

import type { CoordinatorView } from './gates.ts';
import type { BarrierLedgerEntry, Barriers, CoordinatorDecision, CoordinatorState, SuperRunEntry } from './state.ts';

export interface CoordinatorChange {
  readonly ok: true;
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  /** Lines to append, as in the next two members. */
  readonly history: readonly SuperRunEntry[];
  readonly barrier_ledger: readonly BarrierLedgerEntry[];
  readonly decisions: readonly CoordinatorDecision[];
}

export function toChange(
  view: CoordinatorView,
  state: CoordinatorState,
  history: readonly SuperRunEntry[],
): CoordinatorChange {
  return { ok: true, state, barriers: view.barriers, history, barrier_ledger: [], decisions: [] };
}

export function historyLine(
  { super_run_id }: CoordinatorState,
  type: SuperRunEntry['type'],
  timestamp: string,
  members: Readonly<Record<string, unknown>>,
): SuperRunEntry {
  return { ...members, type, timestamp, super_run_id };
}

export type ChangeOutcome = CoordinatorChange | CoordinatorRefusal;

export type CoordinatorErrorType =
  | 'projection_failed'
  | 'cross_repo_write_violation'
  | 'gate_not_ready'
  | 'invalid_state_transition';

export interface CoordinatorRefusal {
  readonly ok: false;
  readonly error_type: CoordinatorErrorType;
  readonly error_code: string;
  readonly error: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export function refused(
  error_type: CoordinatorErrorType,
  error_code: string,
  error: string,
  params: Readonly<Record<string, unknown>> = {},
): CoordinatorRefusal {
  return { ok: false, error_type, error_code, error, params };
}
