/** Gates of the coordinator: asked for, approved, taken back. Nothing opens without an approval that names somebody. */

import { isFilled } from '../lib/unknown-record.ts';
import { type CoordinatorChange, changed, line } from './change.ts';
import { type CoordinatorView, evaluateCoordinatorCompletion, evaluateCoordinatorTransition } from './gates.ts';
import { openGate } from '../../coordinator/open-gate.ts';
import { type CoordinatorRefusal, refused } from '../../coordinator/refusal.ts';
import type { CoordinatorState, PendingGate } from '../../coordinator/state.ts';

export type GateAsked =
  | { readonly gate_type: 'phase_transition'; readonly to?: string }
  | { readonly gate_type: 'run_completion' };

export function requestCoordinatorGate(
  view: CoordinatorView,
  asked: GateAsked,
  now: string,
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  if (state.status !== 'active') {
    const error = `super run ${state.super_run_id} is ${state.status}; a gate is asked for while it is active`;
    return refused('invalid_state_transition', 'not_active', error, { status: state.status });
  }
  const verdict =
    asked.gate_type === 'run_completion'
      ? evaluateCoordinatorCompletion(view)
      : evaluateCoordinatorTransition(view, asked.to);
  if (!verdict.is_ready) return notReady(verdict.blockers);
  const pending: PendingGate = { ...verdict.gate, requested_at: now };
  const phase_gate_status = { ...state.phase_gate_status, [pending.gate]: 'pending' as const };
  const next: CoordinatorState = {
    ...state,
    status: 'paused',
    pending_gate: pending,
    phase_gate_status,
    updated_at: now,
  };
  return changed(view, next, [line(state, 'gate_requested', now, { ...pending })]);
}

export interface GateApproval {
  /** Who approves; `policy` may, where no person is asked for. */
  readonly by: string;
  readonly now: string;
  /** The gate that is meant, if somebody looked at it before. */
  readonly gate?: string;
  /** How many decisions the coordinator has made so far. */
  readonly decisionCount: number;
}

export const POLICY = 'policy';

export function approveCoordinatorGate(
  view: CoordinatorView,
  approval: GateApproval,
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  const pending = pendingOf(state, approval.gate);
  if ('ok' in pending) return pending;
  if (!isFilled(approval.by)) {
    return refused('invalid_state_transition', 'nobody_approves', 'an approval says whose it is');
  }
  // The repos have gone on since it was asked for.
  const verdict =
    pending.gate_type === 'run_completion'
      ? evaluateCoordinatorCompletion(view)
      : evaluateCoordinatorTransition(view, pending.to ?? '');
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

/** Back to work: what was asked for is not given, or is no longer ready. */
export function withdrawCoordinatorGate(
  view: CoordinatorView,
  {
    by,
    reason,
    now,
    gate,
  }: { readonly by: string; readonly reason: string; readonly now: string; readonly gate?: string },
): CoordinatorChange | CoordinatorRefusal {
  const { state } = view;
  const pending = pendingOf(state, gate);
  if ('ok' in pending) return pending;
  const { [pending.gate]: _, ...phase_gate_status } = state.phase_gate_status;
  const next: CoordinatorState = { ...state, status: 'active', pending_gate: null, phase_gate_status, updated_at: now };
  return changed(view, next, [line(state, 'gate_withdrawn', now, { gate: pending.gate, by, reason })]);
}

function pendingOf(
  { status, pending_gate, super_run_id }: CoordinatorState,
  gate?: string,
): PendingGate | CoordinatorRefusal {
  if (status !== 'paused' || pending_gate === null) {
    const error = `super run ${super_run_id} is ${status} and waits for no gate`;
    return refused('invalid_state_transition', 'no_pending_gate', error, { status });
  }
  if (gate === undefined || gate === pending_gate.gate) return pending_gate;
  const error = `gate "${pending_gate.gate}" is pending, not "${gate}"`;
  return refused('invalid_state_transition', 'another_gate_pending', error, { pending: pending_gate.gate, gate });
}

function notReady(blockers: readonly { readonly code: string; readonly message: string }[]): CoordinatorRefusal {
  const error = blockers.map(({ message }) => message).join('; ');
  return refused('gate_not_ready', blockers[0]?.code ?? 'gate_not_ready', error, { blockers });
}
