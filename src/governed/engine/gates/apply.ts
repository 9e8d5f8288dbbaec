/** Applies the verdict of a gate to the run. */

import { eventOf } from '../events/events.ts';
import { applyMove, type Changed, changed } from '../run/moves.ts';
import { enterPhase, passed, paused } from '../run/transition.ts';
import type { GateFailure, RunState } from '../state/state.ts';
import type { CompletionVerdict, PhaseVerdict, Reasons } from './verdict.ts';

export interface Requested {
  readonly now: string;
  readonly by: string | null;
}

export function applyPhaseVerdict(state: RunState, verdict: PhaseVerdict, { now, by }: Requested): Changed {
  switch (verdict.action) {
    case 'no_request':
    case 'gate_error':
      return changed(state);
    case 'gate_failed':
      return failed(state, { ...verdict, gate_type: 'phase_transition' }, { now, by });
    case 'advance': {
      const next = { ...enterPhase(state, verdict.to, now), phase_gate_status: passed(state, verdict.gate) };
      const payload = { gate: verdict.gate, from: verdict.from };
      return changed(next, eventOf('phase_entered', next, now, { payload }));
    }
    case 'awaiting_human_approval': {
      const { gate, from, to } = verdict;
      const pending = { gate, from, to, requested_by_turn: by };
      return paused(waits(state, gate), { pending_phase_transition: pending }, now);
    }
  }
}

export function applyCompletionVerdict(state: RunState, verdict: CompletionVerdict, { now, by }: Requested): Changed {
  switch (verdict.action) {
    case 'no_request':
      return changed(state);
    case 'not_final_phase':
      return failed(state, { gate: null, reasons: verdict.reasons, gate_type: 'run_completion' }, { now, by });
    case 'gate_failed':
      return failed(state, { ...verdict, gate_type: 'run_completion' }, { now, by });
    case 'complete': {
      const done = applyMove(state, 'completion_gate_passed');
      const next: RunState = { ...done, phase_gate_status: passed(state, verdict.gate), completed_at: now };
      return changed(next, eventOf('run_completed', next, now));
    }
    case 'awaiting_human_approval': {
      const { gate, phase } = verdict;
      const pending = { gate, phase, requested_by_turn: by, requested_at: now };
      return paused(waits(state, gate), { pending_run_completion: pending }, now);
    }
  }
}

type Failure = Pick<GateFailure, 'gate' | 'gate_type'> & { readonly reasons: Reasons };

/** Records the failure; leaves the status and phase of the run unchanged. */
function failed(state: RunState, { gate, gate_type, reasons }: Failure, { now, by }: Requested): Changed {
  const failure: GateFailure = { gate, gate_type, phase: state.phase, reasons, failed_at: now, requested_by_turn: by };
  const marks = gate === null ? {} : { [gate]: 'failed' as const };
  const phase_gate_status = { ...state.phase_gate_status, ...marks };
  const next: RunState = { ...state, last_gate_failure: failure, phase_gate_status };
  return changed(next, eventOf('gate_failed', next, now, { payload: { gate, gate_type, reasons } }));
}

function waits(state: RunState, gate: string): RunState {
  return { ...state, phase_gate_status: { ...state.phase_gate_status, [gate]: 'pending' } };
}
