/** A call that a run does not take as it stands now, in the words of whoever types it. */

import type { RunState } from '../../../governed/index.ts';
import type { RunnerFailure } from '../../../governed/runner/contract/types.ts';

/** What the runner said, where it says it better: it may stand otherwise again by now. */
export function standsOtherwise(failure: RunnerFailure, state: RunState | null): string {
  const { error, error_code, details } = failure;
  if (error_code !== 'wrong_status' || state === null) return error;
  const { run_id, status, blocked_on } = state;
  switch (status) {
    case 'completed':
      return `${run_id} is completed, and takes nothing more`;
    case 'blocked':
      return `${run_id} is blocked on ${blocked_on}: that is resolved before anything else`;
    case 'paused':
      return `${run_id} waits for the approval of ${gateOf(state)}: it is paused`;
    case 'active':
      if (isBeginning(failure)) return `${run_id} has begun before, and is active`;
      return isApproval(details?.trigger) ? `no gate of ${run_id} waits for approval; it is active` : error;
    default:
      return error;
  }
}

function gateOf({ pending_phase_transition: phase, pending_run_completion: completion }: RunState): string {
  const gate = (phase ?? completion)?.gate ?? null;
  return gate === null ? 'a gate' : `gate ${gate}`;
}

function isApproval(trigger: unknown): boolean {
  return trigger === 'approve_transition' || trigger === 'approve_completion';
}

/** A blocked run is left behind only by who asks for a new one. */
export function isBeginning({ details }: RunnerFailure): boolean {
  return details?.trigger === 'initialize_run';
}
