/** What a run refuses, told with what to type next. */

import type { RunState } from '../../governed/engine/index.ts';
import { isNonEmptyText } from '../../governed/engine/lib/unknown-record.ts';
import type { RunnerFailure } from '../../governed/runner/contract/types.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { ExitName } from '../terminal/exit-codes.ts';
import { nextSteps } from './next-steps.ts';
import { findServingHub, type Project, STATE_HINT } from './project.ts';

const EXITS: Readonly<Record<string, ExitName>> = {
  lock_timeout: 'inUse',
  io_error: 'failed',
  bad_argument: 'wrong',
  invalid_config: 'wrong',
  invalid_state: 'wrong',
  unsafe_path: 'wrong',
  not_found: 'notFound',
  turn_not_active: 'notFound',
  hub_not_running: 'unreachable',
  hub_not_answering: 'unreachable',
  outcome_unknown: 'unreachable',
};

const HINTS: Readonly<Record<string, string>> = {
  lock_timeout: 'Somebody else is at work on it; try again.',
  invalid_state: STATE_HINT,
  unknown_role: 'The roles are in agentxchain.json.',
  role_busy: 'Take its result in with: parley run accept; or send it back with: parley run reject --reason "…"',
  too_many_turns: 'Take one in with: parley run accept; or send it back with: parley run reject --reason "…"',
  tree_not_clean: 'Commit or stash what is not committed, then try again.',
  budget_spent: 'Raise budget.per_run_max_usd in agentxchain.json.',
  validation_failed: 'Correct the staged file and accept again, or send it back with: parley run reject --reason "…"',
  artifact_mismatch: 'Let files_changed say what was changed, and accept again.',
  conflict: 'Merge it by hand, then: parley run accept --merged; or send it back with: parley run reject --reason "…"',
  duplicate_decision_id: 'Give the decision an id that is free, and accept again.',
  bad_staging: 'Write the result to that file as one whole JSON object, then accept again.',
  not_staged: 'Write the result to that file first: "parley run status" shows what is out.',
  stale_staging: 'Write the result of this attempt, then accept again.',
  target_required: 'Name the turn: "parley run status" shows those that are out.',
  not_found: '"parley run status" shows what is out.',
  turn_not_active: '"parley run status" shows what is out.',
  turn_already_accepted: '"parley run history" has it.',
  fenced_out: 'Another process has taken the run for itself: let it end, or wait until its time is over.',
  hub_not_answering: 'The process of the hub is stopped or hangs: let it go on, or end it and start it anew.',
  outcome_unknown: '"parley run status" shows whether it was done.',
  tree_unreadable: 'Let "git status" work in the project again, then try again.',
  hook_blocked: 'A hook of agentxchain.json said no; .agentxchain/hook-audit.jsonl says why.',
};

export async function explainRefusal(failure: RunnerFailure, project: Project): Promise<CommandError> {
  const { root, config, runner } = project;
  const { error_code, validation } = failure;
  const errors = (validation?.errors ?? []).filter(isNonEmptyText);
  // One alone is in the sentence already.
  const problems = errors.length > 1 ? errors : [];
  const state = await runner.loadState(root, config);
  const anew = isBeginning(failure) && state?.status === 'blocked' ? ['parley run init --new'] : [];
  // It may have come or gone meanwhile.
  const now = { ...project, served: await findServingHub(root) };
  const hint = HINTS[error_code] ?? `Next: ${[...nextSteps(state, now), ...anew].join('; or ')}`;
  const said = explainState(failure, state);
  return new CommandError(EXITS[error_code] ?? 'refused', error_code, said, hint, problems);
}

/** What the runner said, where it says it better: it may stand otherwise again by now. */
function explainState(failure: RunnerFailure, state: RunState | null): string {
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
function isBeginning({ details }: RunnerFailure): boolean {
  return details?.trigger === 'initialize_run';
}
