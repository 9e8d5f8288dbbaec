/** What a move of the super run changes: its state and barriers, and lines for its books. */

import type { BarrierLedgerEntry, CoordinatorDecision, SuperRunEntry } from './state.ts';
import type { CoordinatorView } from './gates.ts';
import type { Barriers, CoordinatorState } from '../../coordinator/state.ts';

export interface CoordinatorChange {
  readonly ok: true;
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  /** To be appended, as the other two. */
  readonly history: readonly SuperRunEntry[];
  readonly barrier_ledger: readonly BarrierLedgerEntry[];
  readonly decisions: readonly CoordinatorDecision[];
}

export function changed(
  view: CoordinatorView,
  state: CoordinatorState,
  history: readonly SuperRunEntry[],
): CoordinatorChange {
  return { ok: true, state, barriers: view.barriers, history, barrier_ledger: [], decisions: [] };
}

export function line(
  { super_run_id }: CoordinatorState,
  type: SuperRunEntry['type'],
  timestamp: string,
  members: Readonly<Record<string, unknown>>,
): SuperRunEntry {
  return { ...members, type, timestamp, super_run_id };
}
