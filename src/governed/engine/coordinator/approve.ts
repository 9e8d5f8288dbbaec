/**
 * Requests, approves and withdraws gates of the coordinator. Only a named approval opens a gate.
 * An approval enters the next phase or ends the super run, and satisfies human barriers.
 */

import { getOwn, isNonEmptyText } from '../lib/unknown-record.ts';
import {
  type ChangeOutcome,
  type CoordinatorChange,
  type CoordinatorRefusal,
  historyLine,
  refused,
  toChange,
} from './change.ts';
import {
  type CoordinatorBlocker,
  type CoordinatorVerdict,
  type CoordinatorView,
  evaluateCoordinatorCompletion,
  evaluateCoordinatorTransition,
} from './gates.ts';
import type { BarrierLedgerEntry, Barriers, CoordinatorDecision, CoordinatorState, PendingGate } from './state.ts';

export type GateRequest =
  | { readonly gate_type: 'phase_transition'; readonly to?: string }
  | { readonly gate_type: 'run_completion' };

export function requestCoordinatorGate(view: CoordinatorView, asked: GateRequest, now: string): ChangeOutcome {
  const { state } = view;
  if (state.status !== 'active') {
    const error = `super run ${state.super_run_id} is ${state.status}; a gate is asked for while it is active`;
    return refused('invalid_state_transition', 'not_active', error, { status: state.status });
  }
  const verdict = evaluate(view, asked);
  if (!verdict.is_ready) return notReady(verdict.blockers);
  const pending: PendingGate = { ...verdict.gate, requested_at: now };
  const next: CoordinatorState = {
    ...state,
    status: 'paused',
    pending_gate: pending,
    phase_gate_status: { ...state.phase_gate_status, [pending.gate]: 'pending' },
    updated_at: now,
  };
  return toChange(view, next, [historyLine(state, 'gate_requested', now, { ...pending })]);
}

function evaluate(view: CoordinatorView, asked: GateRequest): CoordinatorVerdict {
  return asked.gate_type === 'run_completion'
    ? evaluateCoordinatorCompletion(view)
    : evaluateCoordinatorTransition(view, asked.to);
}

export interface GateApproval {
  /** Name of the approver; `policy` if no person is required. */
  readonly by: string;
  readonly now: string;
  /** Refuses if a gate other than this one is pending. */
  readonly gate?: string;
  /** Number of decisions recorded so far. */
  readonly decisionCount: number;
}

const POLICY = 'policy';

export function approveCoordinatorGate(view: CoordinatorView, approval: GateApproval): ChangeOutcome {
  const { state } = view;
  const pending = pendingOf(state, approval.gate);
  if ('ok' in pending) return pending;
  if (!isNonEmptyText(approval.by)) {
    return refused('invalid_state_transition', 'nobody_approves', 'by: expected the name of the approver');
  }
  // Evaluate again, because the repos may have changed since the request.
  const verdict = evaluate(view, { gate_type: pending.gate_type, to: pending.to ?? '' });
  if (!verdict.is_ready) return notReady(verdict.blockers);
  const gate: PendingGate = { ...pending, human_barriers: verdict.gate.human_barriers };
  if (approval.by === POLICY && (needsPerson(pending) || needsPerson(gate))) {
    const error = `gate "${pending.gate}" is approved by a person, not by a policy`;
    return refused('invalid_state_transition', 'person_required', error, { gate: pending.gate });
  }
  return openGate(view, gate, approval);
}

export function needsPerson({ requires_human_approval, human_barriers }: PendingGate): boolean {
  return requires_human_approval || human_barriers.length > 0;
}

/** Withdraws the pending gate; the super run becomes active again. */
export function withdrawCoordinatorGate(
  view: CoordinatorView,
  given: { readonly by: string; readonly reason: string; readonly now: string; readonly gate?: string },
): ChangeOutcome {
  const { state } = view;
  const { by, reason, now, gate } = given;
  const pending = pendingOf(state, gate);
  if ('ok' in pending) return pending;
  const { [pending.gate]: _, ...phase_gate_status } = state.phase_gate_status;
  const next: CoordinatorState = { ...state, status: 'active', pending_gate: null, phase_gate_status, updated_at: now };
  return toChange(view, next, [historyLine(state, 'gate_withdrawn', now, { gate: pending.gate, by, reason })]);
}

function pendingOf(state: CoordinatorState, gate?: string): PendingGate | CoordinatorRefusal {
  const { status, pending_gate, super_run_id } = state;
  if (status !== 'paused' || pending_gate === null) {
    const error = `super run ${super_run_id} is ${status} and waits for no gate`;
    return refused('invalid_state_transition', 'no_pending_gate', error, { status });
  }
  if (gate === undefined || gate === pending_gate.gate) return pending_gate;
  const error = `gate "${pending_gate.gate}" is pending, not "${gate}"`;
  return refused('invalid_state_transition', 'another_gate_pending', error, { pending: pending_gate.gate, gate });
}

function notReady(blockers: readonly CoordinatorBlocker[]): CoordinatorRefusal {
  const error = blockers.map(({ message }) => message).join('; ');
  return refused('gate_not_ready', blockers[0]?.code ?? 'gate_not_ready', error, { blockers });
}

function openGate(view: CoordinatorView, pending: PendingGate, approval: GateApproval): CoordinatorChange {
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
  const approved = historyLine(state, 'gate_approved', now, { gate, from, to, approved_by: by });
  const history = isLast ? [approved, historyLine(state, 'super_run_completed', now, {})] : [approved];
  return {
    ...toChange(view, next, history),
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
  const before = getOwn(barriers, barrier_id);
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
