/** What an accepted turn asks for. While others are out it waits; when the last is in, completion comes first, then a phase. */

import type { GovernedConfig } from '../engine/config/config.ts';
import { applyCompletionVerdict, applyPhaseVerdict } from '../engine/gates/apply.ts';
import { evaluatePhaseExit, evaluateRunCompletion } from '../engine/gates/evaluate.ts';
import type { CompletionVerdict, PhaseVerdict, ReadFiles } from '../gates/verdict.ts';
import { isMissing } from '../engine/lib/unknown-record.ts';
import type { Changed } from '../refusal.ts';
import type { RunState, Turn } from '../run/state.ts';
import type { TurnResult } from '../engine/turn-result/result.ts';
import { getActiveTurnCount } from '../engine/turns/active.ts';

/** The state in which this turn's request waits. Who asked first for something is who asked for it. */
export function queueRequest(state: RunState, turn: Turn, result: TurnResult, verificationStatus: string): RunState {
  if (result.status !== 'completed') return state;
  const { phase_transition_request: to, run_completion_request } = result;
  const asked = { requested_by_turn: turn.turn_id, verification_status: verificationStatus };
  if (run_completion_request === true) {
    return { ...state, queued_run_completion: state.queued_run_completion ?? { to: null, ...asked } };
  }
  if (isMissing(to)) return state;
  return { ...state, queued_phase_transition: state.queued_phase_transition ?? { to, ...asked } };
}

export interface Drained extends Changed {
  readonly completion: CompletionVerdict | null;
  readonly transition: PhaseVerdict | null;
}

export interface DrainFacts {
  readonly config: GovernedConfig;
  readonly files: ReadFiles;
  readonly now: string;
  /** Roles that had a turn accepted in this phase. */
  readonly rolesHeard?: ReadonlySet<string>;
}

/** Judges what waits, if nothing is out any more and the run is active. */
export function drainRequests(state: RunState, { config, files, now, rolesHeard = new Set() }: DrainFacts): Drained {
  const { queued_run_completion: completing, queued_phase_transition: leaving } = state;
  const nothing: Drained = { ok: true, state, events: [], completion: null, transition: null };
  if (state.status !== 'active' || getActiveTurnCount(state) > 0 || (completing === null && leaving === null))
    return nothing;
  const cleared: RunState = { ...state, queued_run_completion: null, queued_phase_transition: null };
  const facts = { config, phase: state.phase, files, rolesHeard };
  let drained: Drained = { ...nothing, state: cleared };
  if (completing !== null) {
    const completion = evaluateRunCompletion({ ...facts, verificationStatus: completing.verification_status }, true);
    const by = completing.requested_by_turn;
    drained = { ...drained, ...applyCompletionVerdict(cleared, completion, { now, by }), completion };
    if (drained.state.status !== 'active') return drained;
  }
  if (leaving === null) return drained;
  const transition = evaluatePhaseExit({ ...facts, verificationStatus: leaving.verification_status }, leaving.to);
  const applied = applyPhaseVerdict(drained.state, transition, { now, by: leaving.requested_by_turn });
  return { ...drained, state: applied.state, events: [...drained.events, ...applied.events], transition };
}
