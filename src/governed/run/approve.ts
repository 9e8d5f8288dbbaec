/** A gate that waited for a person opens: paused → active in the next phase, or paused → completed. */

import { eventOf } from '../events/draft.ts';
import { type Changed, type Refused, refuse } from '../refusal.ts';
import { moved, refusedMove } from '../engine/run/moves.ts';
import type { RunState } from './state.ts';

export interface Approval {
  readonly now: string;
  /** Whose approval it is; told in the event. */
  readonly by?: string | null;
}

export function approveTransition(state: RunState, { now, by = null }: Approval): Changed | Refused {
  const refused = refusedMove(state, 'approve_transition');
  if (refused !== null) return refused;
  const pending = state.pending_phase_transition;
  if (pending === null) return nothingPending('no_pending_phase_transition', 'no phase transition waits for approval');
  const next: RunState = {
    ...enterPhase(moved(state, 'approve_transition'), pending.to, now),
    phase_gate_status: passed(state, pending.gate),
    pending_phase_transition: null,
  };
  const { gate, from, to } = pending;
  const payload = { gate_type: 'phase_transition', gate, from, to, approved_by: by };
  return {
    ok: true,
    state: next,
    events: [
      eventOf('gate_approved', next, now, { payload }),
      eventOf('phase_entered', next, now, { payload: { from } }),
    ],
  };
}

export function approveCompletion(state: RunState, { now, by = null }: Approval): Changed | Refused {
  const refused = refusedMove(state, 'approve_completion');
  if (refused !== null) return refused;
  const pending = state.pending_run_completion;
  if (pending === null) return nothingPending('no_pending_run_completion', 'no run completion waits for approval');
  const next: RunState = {
    ...moved(state, 'approve_completion'),
    phase_gate_status: passed(state, pending.gate),
    pending_run_completion: null,
    completed_at: now,
  };
  const payload = { gate_type: 'run_completion', gate: pending.gate, approved_by: by };
  return {
    ok: true,
    state: next,
    events: [eventOf('gate_approved', next, now, { payload }), eventOf('run_completed', next, now)],
  };
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
