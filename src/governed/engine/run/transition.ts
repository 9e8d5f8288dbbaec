/** Moves a run between idle, active, paused and completed: start, requested transitions, approved gates. */

import { checkConfig } from '../config/check.ts';
import { firstPhase } from '../config/config.ts';
import { eventOf } from '../events/events.ts';
import { sameJson } from '../lib/digest.ts';
import { getOwn, isNonEmptyText, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import type { PendingCompletion, PendingTransition, RunState } from '../state/state.ts';
import { escalateRun } from './block.ts';
import { applyMove, type Changed, changed, checkMove, MOVES, type Refused, refuse } from './moves.ts';

export interface RunInit {
  readonly runId: string;
  readonly now: string;
  readonly provenance?: UnknownRecord | null;
  readonly inheritedContext?: UnknownRecord | null;
}

export function initialiseRun(state: RunState, config: unknown, beginning: RunInit): Changed | Refused {
  const checked = checkConfig(config);
  if (!checked.ok) {
    const [{ message, error_type, error_field }] = checked.faults;
    return refuse('invalid_config', error_type, message, { error_field, faults: checked.faults });
  }
  const refused = checkMove(state, 'initialize_run');
  if (refused !== null) return refused;
  const { runId, now, provenance = null, inheritedContext = null } = beginning;
  const limit = checked.config.budget?.per_run_max_usd ?? null;
  const next: RunState = {
    ...applyMove(state, 'initialize_run'),
    run_id: runId,
    project_id: checked.config.project?.id ?? state.project_id,
    phase: state.phase ?? firstPhase(checked.config),
    blocked_on: null,
    blocked_reason: null,
    escalation: null,
    budget_status: limit === null ? state.budget_status : { spent_usd: 0, remaining_usd: limit },
    created_at: now,
    phase_entered_at: now,
    completed_at: null,
    provenance,
    inherited_context: inheritedContext,
  };
  return changed(next, eventOf('run_started', next, now), eventOf('phase_entered', next, now));
}

export interface TransitionRequest {
  readonly now: string;
  readonly target_status?: unknown;
  /** State members that the caller wants to change. */
  readonly candidate_overrides?: unknown;
  readonly trigger?: unknown;
  readonly gate?: unknown;
  readonly reason?: unknown;
  readonly role_id?: unknown;
}

export function transitionState(state: RunState, asked: TransitionRequest): Changed | Refused {
  const refused = refusedOverride(state, asked.candidate_overrides);
  if (refused !== null) return refused;
  const { trigger, target_status: target } = asked;
  if (trigger !== undefined) {
    if (trigger !== 'gate_requires_human_approval' && trigger !== 'escalation') {
      return jump(
        state,
        `trigger: expected gate_requires_human_approval or escalation, got ${JSON.stringify(trigger)}`,
      );
    }
    if (target !== undefined && target !== MOVES[trigger].to)
      return jump(state, `${trigger} does not lead to ${target}`);
    return trigger === 'escalation' ? escalated(state, asked) : waiting(state, asked);
  }
  if (target === undefined || target === state.status) return changed(state);
  return jump(state, `a run cannot be moved from ${state.status} to ${target} directly`);
}

function refusedOverride(state: RunState, overrides: unknown): Refused | null {
  if (!isRecord(overrides)) return null;
  const { run_id, ...others } = overrides;
  if (run_id !== undefined && run_id !== state.run_id) {
    const detail = `the id of a run never changes: it is ${state.run_id}`;
    return refuse('immutable_field', 'run_id', detail, { field: 'run_id' });
  }
  const field = Object.keys(others).find(
    (name) => !sameJson(others[name], getOwn(state as unknown as UnknownRecord, name)),
  );
  return field === undefined ? null : jump(state, `${field} cannot be changed directly`);
}

function escalated(state: RunState, { reason, role_id, now }: TransitionRequest): Changed | Refused {
  if (!isNonEmptyText(reason)) return jump(state, 'reason: expected the reason of the escalation');
  return escalateRun(state, { reason, role: isNonEmptyText(role_id) ? role_id : null, now });
}

/** A gate with a target phase is a phase transition; any other gate completes the run. */
function waiting(state: RunState, { gate, now }: TransitionRequest): Changed | Refused {
  const refused = checkMove(state, 'gate_requires_human_approval');
  if (refused !== null) return refused;
  if (!isRecord(gate)) return jump(state, 'gate: expected the gate to wait for');
  // Unchecked cast: the caller supplies the members, and only `to` is used here.
  return isNonEmptyText(gate.to)
    ? paused(state, { pending_phase_transition: gate as unknown as PendingTransition }, now)
    : paused(state, { pending_run_completion: { phase: state.phase, gate: null, ...gate } as PendingCompletion }, now);
}

/** Pauses the run and stores the request until it is approved. */
export function paused(
  state: RunState,
  pending: Pick<RunState, 'pending_phase_transition'> | Pick<RunState, 'pending_run_completion'>,
  now: string,
): Changed {
  const next: RunState = { ...applyMove(state, 'gate_requires_human_approval'), ...pending };
  return changed(next, eventOf('gate_pending', next, now, { payload: pending }));
}

function jump(state: RunState, detail: string): Refused {
  return refuse('invalid_state_transition', 'no_such_move', detail, { status: state.status });
}

export interface Approval {
  readonly now: string;
  /** The approver, recorded in the event. */
  readonly by?: string | null;
}

export function approveTransition(state: RunState, { now, by = null }: Approval): Changed | Refused {
  const refused = checkMove(state, 'approve_transition');
  if (refused !== null) return refused;
  const pending = state.pending_phase_transition;
  if (pending === null) return nothingPending('no_pending_phase_transition', 'no phase transition waits for approval');
  const next: RunState = {
    ...enterPhase(applyMove(state, 'approve_transition'), pending.to, now),
    phase_gate_status: passed(state, pending.gate),
    pending_phase_transition: null,
  };
  const { gate, from, to } = pending;
  const payload = { gate_type: 'phase_transition', gate, from, to, approved_by: by };
  const events = [
    eventOf('gate_approved', next, now, { payload }),
    eventOf('phase_entered', next, now, { payload: { from } }),
  ];
  return changed(next, ...events);
}

export function approveCompletion(state: RunState, { now, by = null }: Approval): Changed | Refused {
  const refused = checkMove(state, 'approve_completion');
  if (refused !== null) return refused;
  const pending = state.pending_run_completion;
  if (pending === null) return nothingPending('no_pending_run_completion', 'no run completion waits for approval');
  const next: RunState = {
    ...applyMove(state, 'approve_completion'),
    phase_gate_status: passed(state, pending.gate),
    pending_run_completion: null,
    completed_at: now,
  };
  const payload = { gate_type: 'run_completion', gate: pending.gate, approved_by: by };
  return changed(next, eventOf('gate_approved', next, now, { payload }), eventOf('run_completed', next, now));
}

export function enterPhase(state: RunState, phase: string, now: string): RunState {
  return { ...state, phase, phase_entered_at: now, last_gate_failure: null };
}

export function passed(state: RunState, gate: string | null | undefined): RunState['phase_gate_status'] {
  return typeof gate === 'string' ? { ...state.phase_gate_status, [gate]: 'passed' } : state.phase_gate_status;
}

function nothingPending(code: string, detail: string): Refused {
  return refuse('invalid_state_transition', code, detail);
}
