/** A transition asked for by name. Only two triggers lead anywhere here; every other move has an operation of its own. */

import { sameJson } from '../engine/lib/digest.ts';
import { eventOf } from '../events/draft.ts';
import { isFilled, isRecord, own, type Unknowns } from '../engine/lib/unknown-record.ts';
import { type Changed, type Refused, refuse } from '../refusal.ts';
import { escalateRun } from '../engine/run/block.ts';
import { MOVES, moved, refusedMove } from '../engine/run/moves.ts';
import type { PendingCompletion, PendingTransition, RunState } from './state.ts';

export interface TransitionAsked {
  readonly now: string;
  readonly target_status?: unknown;
  /** Members of the state the caller would like to have otherwise. */
  readonly candidate_overrides?: unknown;
  readonly trigger?: unknown;
  readonly gate?: unknown;
  readonly reason?: unknown;
  readonly role_id?: unknown;
}

export function transitionState(state: RunState, asked: TransitionAsked): Changed | Refused {
  const refused = refusedOverride(state, asked.candidate_overrides);
  if (refused !== null) return refused;
  const { trigger, target_status: target } = asked;
  if (trigger !== undefined) {
    if (trigger !== 'gate_requires_human_approval' && trigger !== 'escalation') {
      return jump(state, `the trigger ${JSON.stringify(trigger)} is none that leads anywhere here`);
    }
    if (target !== undefined && target !== MOVES[trigger].to)
      return jump(state, `${trigger} does not lead to ${target}`);
    return trigger === 'escalation' ? escalated(state, asked) : waiting(state, asked);
  }
  if (target === undefined || target === state.status) return { ok: true, state, events: [] };
  return jump(state, `a run does not go from ${state.status} to ${target} by being told to`);
}

function refusedOverride(state: RunState, overrides: unknown): Refused | null {
  if (!isRecord(overrides)) return null;
  const { run_id, ...others } = overrides;
  if (run_id !== undefined && run_id !== state.run_id) {
    return refuse('immutable_field', 'run_id', `the id of a run never changes: it is ${state.run_id}`, {
      field: 'run_id',
    });
  }
  const field = Object.keys(others).find((name) => !sameJson(others[name], own(state as unknown as Unknowns, name)));
  return field === undefined ? null : jump(state, `${field} is not changed by being told to`);
}

function escalated(state: RunState, { reason, role_id, now }: TransitionAsked): Changed | Refused {
  if (!isFilled(reason)) return jump(state, 'an escalation has a reason');
  return escalateRun(state, { reason, role: isFilled(role_id) ? role_id : null, now });
}

/** The gate waits for a person. One that leads to a phase is a transition, any other the completion of the run. */
function waiting(state: RunState, { gate, now }: TransitionAsked): Changed | Refused {
  const refused = refusedMove(state, 'gate_requires_human_approval');
  if (refused !== null) return refused;
  if (!isRecord(gate)) return jump(state, 'a run pauses for a gate, and none is named');
  return isFilled(gate.to)
    ? // Its members are the caller's; those that matter were looked at.
      paused(state, { pending_phase_transition: gate as unknown as PendingTransition }, now)
    : paused(state, { pending_run_completion: { phase: state.phase, gate: null, ...gate } as PendingCompletion }, now);
}

/** What waits for a person, kept until somebody approves it. */
export function paused(
  state: RunState,
  pending: Pick<RunState, 'pending_phase_transition'> | Pick<RunState, 'pending_run_completion'>,
  now: string,
): Changed {
  const next: RunState = { ...moved(state, 'gate_requires_human_approval'), ...pending };
  return { ok: true, state: next, events: [eventOf('gate_pending', next, now, { payload: pending })] };
}

function jump(state: RunState, detail: string): Refused {
  return refuse('invalid_state_transition', 'no_such_move', detail, { status: state.status });
}
