/** What the approval of a gate does: the phase moves on or the super run ends, and human barriers are satisfied. */

import { own } from '../engine/lib/unknown-record.ts';
import type { GateApproval } from '../engine/coordinator/approve.ts';
import { type CoordinatorChange, changed, line } from '../engine/coordinator/change.ts';
import type { BarrierLedgerEntry, CoordinatorDecision } from '../engine/coordinator/state.ts';
import type { CoordinatorView } from '../engine/coordinator/gates.ts';
import type { Barriers, CoordinatorState, PendingGate } from './state.ts';

export function openGate(view: CoordinatorView, pending: PendingGate, approval: GateApproval): CoordinatorChange {
  const { state, barriers } = view;
  const { by, now } = approval;
  const { gate, from, to, human_barriers } = pending;
  const isLast = pending.gate_type === 'run_completion';
  const next: CoordinatorState = {
    ...state,
    status: isLast ? 'completed' : 'active',
    phase: to ?? state.phase,
    pending_gate: null,
    phase_gate_status: { ...state.phase_gate_status, [gate]: 'passed' },
    updated_at: now,
    completed_at: isLast ? now : null,
  };
  const decision = decisionOf(state, pending, approval);
  const told = line(state, 'gate_approved', now, { gate, from, to, approved_by: by });
  const history = isLast ? [told, line(state, 'super_run_completed', now, {})] : [told];
  return {
    ...changed(view, next, history),
    barriers: satisfied(barriers, human_barriers),
    barrier_ledger: human_barriers.map((id) => ledgerEntry(barriers, id, decision)),
    decisions: [decision],
  };
}

function decisionOf(
  { super_run_id }: CoordinatorState,
  { gate, from, to }: PendingGate,
  { by, now, decisionCount }: GateApproval,
): CoordinatorDecision {
  const id = `DEC-COORD-${String(decisionCount + 1).padStart(3, '0')}`;
  const statement = to === null ? 'the super run is complete' : `phase "${from}" is over; "${to}" begins`;
  return { id, timestamp: now, super_run_id, category: 'gate', statement, gate, decided_by: by };
}

function satisfied(barriers: Barriers, ids: readonly string[]): Barriers {
  const entries = Object.entries(barriers).map(([id, one]) =>
    ids.includes(id) ? [id, { ...one, status: 'satisfied' as const }] : [id, one],
  );
  return Object.fromEntries(entries);
}

function ledgerEntry(barriers: Barriers, barrier_id: string, decision: CoordinatorDecision): BarrierLedgerEntry {
  const { id, timestamp, super_run_id, gate, decided_by } = decision;
  const before = own(barriers, barrier_id);
  return {
    type: 'barrier_transition',
    timestamp,
    super_run_id,
    barrier_id,
    workstream_id: before?.workstream_id ?? '',
    previous_status: before?.status ?? 'pending',
    new_status: 'satisfied',
    causation: { type: 'gate_approved', gate, decision_id: id, approved_by: decided_by },
  };
}
