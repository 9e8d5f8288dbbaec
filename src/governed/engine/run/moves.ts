/** The state machine: every move there is, and what alone may make it. */

import { type Refused, refuse } from '../../refusal.ts';
import type { RunState, RunStatus } from '../../run/state.ts';

export type Trigger =
  | 'initialize_run'
  | 'gate_requires_human_approval'
  | 'approve_transition'
  | 'approve_completion'
  | 'completion_gate_passed'
  | 'escalation'
  | 'resolve_blocked';

export const MOVES: { readonly [T in Trigger]: { readonly from: RunStatus; readonly to: RunStatus } } = {
  initialize_run: { from: 'idle', to: 'active' },
  gate_requires_human_approval: { from: 'active', to: 'paused' },
  approve_transition: { from: 'paused', to: 'active' },
  approve_completion: { from: 'paused', to: 'completed' },
  /** The gate of the last phase holds, and asks for nobody. */
  completion_gate_passed: { from: 'active', to: 'completed' },
  escalation: { from: 'active', to: 'blocked' },
  resolve_blocked: { from: 'blocked', to: 'active' },
};

/** Why this trigger moves nothing now, or null. */
export function refusedMove({ status }: Pick<RunState, 'status'>, trigger: Trigger): Refused | null {
  const { from } = MOVES[trigger];
  if (status === from) return null;
  return refuse('invalid_state_transition', 'wrong_status', `${trigger} needs a run that is ${from}; it is ${status}`, {
    trigger,
    status,
    needs: from,
  });
}

/** The state with the status the trigger leads to. Whoever calls it has asked `refusedMove` before. */
export function moved(state: RunState, trigger: Trigger): RunState {
  return { ...state, status: MOVES[trigger].to };
}
