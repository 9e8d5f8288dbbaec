/** Stage 2: is it for a turn that is out, from whom it was given to? */

import type { GovernedConfig } from '../engine/config/config.ts';
import { roleConfig } from '../config/phases.ts';
import type { RunState, Turn } from '../run/state.ts';
import { type Fault, NOTHING_FOUND, type StageReport } from './fault.ts';
import type { TurnResult } from '../engine/turn-result/result.ts';

export interface Assigned {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly turn: Turn | null;
}

export function assignmentStage(result: TurnResult, { state, config, turn }: Assigned): StageReport {
  const faults: Fault[] = [];
  if (result.run_id !== state.run_id) {
    faults.push(differs('run_id', result.run_id, state.run_id ?? 'none', 'run_id_mismatch'));
  }
  if (turn === null || result.turn_id !== turn.turn_id) {
    const out = turn?.turn_id ?? (Object.keys(state.active_turns).join(', ') || 'none');
    faults.push(differs('turn_id', result.turn_id, out, 'turn_id_mismatch'));
    return { ...NOTHING_FOUND, faults };
  }
  if (result.role !== turn.assigned_role) faults.push(differs('role', result.role, turn.assigned_role));
  else if (roleConfig(config, result.role) === null) {
    faults.push({ error_field: 'role', detail: `role: "${result.role}" is not declared` });
  }
  if (result.runtime_id !== turn.runtime_id) faults.push(differs('runtime_id', result.runtime_id, turn.runtime_id));
  return { ...NOTHING_FOUND, faults };
}

function differs(error_field: string, given: string, expected: string, error_type?: string): Fault {
  const detail = `${error_field}: the turn that is out has ${expected}, the result says ${given}`;
  return { ...(error_type === undefined ? {} : { error_type }), error_field, detail };
}
