/** Defines the state machine: every move of a run with its trigger, and the two outcomes of an operation. */

import type { EventDraft } from '../events/events.ts';
import type { RunState, RunStatus } from '../state/state.ts';

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
  completion_gate_passed: { from: 'active', to: 'completed' },
  escalation: { from: 'active', to: 'blocked' },
  resolve_blocked: { from: 'blocked', to: 'active' },
};

/** Returns null if the current status allows the trigger. */
export function checkMove({ status }: Pick<RunState, 'status'>, trigger: Trigger): Refused | null {
  const { from } = MOVES[trigger];
  if (status === from) return null;
  return refuse('invalid_state_transition', 'wrong_status', `${trigger} needs a run that is ${from}; it is ${status}`, {
    trigger,
    status,
    needs: from,
  });
}

/** Requires a successful `checkMove`. */
export function applyMove(state: RunState, trigger: Trigger): RunState {
  return { ...state, status: MOVES[trigger].to };
}

type RefusalType =
  | 'invalid_config'
  | 'invalid_state_transition'
  | 'immutable_field'
  | 'turn_already_accepted'
  | 'turn_not_active'
  | 'duplicate_decision_id'
  | 'override_validation_failed'
  | 'artifact_mismatch'
  | 'conflict';

export interface Refused {
  readonly ok: false;
  /** Refusal type as named by the corpus. */
  readonly error_type: RefusalType;
  readonly error_code: string;
  readonly detail: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The next state, and the events that lead to it, in order. */
export interface Changed {
  readonly ok: true;
  readonly state: RunState;
  readonly events: readonly EventDraft[];
}

export function changed(state: RunState, ...events: readonly EventDraft[]): Changed {
  return { ok: true, state, events };
}

export function refuse(
  error_type: RefusalType,
  error_code: string,
  detail: string,
  params: Readonly<Record<string, unknown>> = {},
): Refused {
  return { ok: false, error_type, error_code, detail, params };
}
