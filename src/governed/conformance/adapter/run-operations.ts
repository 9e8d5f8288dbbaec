/** Operations that ask a gate. They change nothing: what the verdict would do is shown on a state of its own. */

import { engine, type GateFacts, type Reason, type RunState } from 'parley-hub/governed';
import { isMembers, type Members } from '../../../node/conformance/members.ts';
import { NOW } from '../../../node/conformance/adapter/given.ts';
import type { World } from './inflate.ts';

const {
  applyCompletionVerdict,
  applyPhaseVerdict,
  booksOf,
  digestOf,
  evaluatePhaseExit,
  evaluateRunCompletion,
  sentenceOf,
} = engine;

export function phaseExit(world: World, args: Members): Members {
  const { state } = world;
  const asked = given(world, 'phase_transition_request', args.requested_phase);
  const digest = digestOf(state);
  const verdict = evaluatePhaseExit(factsOf(world), typeof asked === 'string' ? asked : null);
  const next = applyPhaseVerdict(state, verdict, { now: NOW, by: null }).state;
  const answer = { ...looked(state, digest, args), action: verdict.action };
  switch (verdict.action) {
    case 'gate_error':
      return { ...answer, result: 'error', error_type: verdict.code, requested_phase: verdict.requested };
    case 'gate_failed':
      return { ...answer, ...failure(verdict.reasons), phase_unchanged: next.phase === state.phase };
    case 'advance':
      return { ...answer, new_phase: next.phase };
    case 'awaiting_human_approval':
      return { ...answer, new_status: next.status, pending_phase_transition: next.pending_phase_transition };
    case 'no_request':
      return answer;
  }
}

export function runCompletion(world: World, args: Members): Members {
  const { state } = world;
  const digest = digestOf(state);
  const verdict = evaluateRunCompletion(factsOf(world), given(world, 'run_completion_request', true) === true);
  const next = applyCompletionVerdict(state, verdict, { now: NOW, by: null }).state;
  const answer = { ...looked(state, digest, args), action: verdict.action };
  switch (verdict.action) {
    case 'not_final_phase':
    case 'gate_failed':
      return { ...answer, ...failure(verdict.reasons) };
    case 'complete':
      return { ...answer, new_status: next.status };
    case 'awaiting_human_approval':
      return { ...answer, new_status: next.status, pending_run_completion: next.pending_run_completion };
    case 'no_request':
      return answer;
  }
}

/** What the turn asked for; without a turn, what the operation itself asks. */
function given({ turnResult }: World, name: string, otherwise: unknown): unknown {
  return isMembers(turnResult) ? turnResult[name] : otherwise;
}

function factsOf({ config, state, files, turnResult, history, ledger }: World): GateFacts {
  const rolesHeard = booksOf(state, history, ledger).rolesHeard.get(state.phase ?? '') ?? new Set<string>();
  const verification = isMembers(turnResult) ? turnResult.verification : undefined;
  const status = isMembers(verification) ? verification.status : undefined;
  const verificationStatus = typeof status === 'string' ? status : null;
  return { config, phase: state.phase, files, verificationStatus, rolesHeard };
}

/** The run is where its state says; a caller who thinks otherwise is told. */
function looked(state: RunState, digest: string, { current_phase }: Members): Members {
  const isElsewhere = current_phase !== undefined && current_phase !== state.phase;
  const warnings = isElsewhere ? [`current_phase: the run is in ${state.phase}, not in ${current_phase}`] : [];
  return { result: 'success', state_unchanged: digestOf(state) === digest, warnings };
}

function failure(reasons: readonly [Reason, ...Reason[]]): Members {
  return { reason: sentenceOf(reasons[0]), reasons };
}
