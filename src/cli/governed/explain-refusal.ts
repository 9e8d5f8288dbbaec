/** Explains a rejection of a governed run, with what to type next. */

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
  lock_timeout: 'Another process is working on the run; try again.',
  invalid_state: STATE_HINT,
  unknown_role: 'See agentxchain.json for the roles.',
  role_busy: 'Accept its result with: parley run accept; or reject it with: parley run reject --reason "…"',
  too_many_turns: 'Accept one with: parley run accept; or reject it with: parley run reject --reason "…"',
  tree_not_clean: 'Commit or stash your changes, then try again.',
  budget_spent: 'Raise budget.per_run_max_usd in agentxchain.json.',
  validation_failed: 'Correct the staged file and accept again, or reject it with: parley run reject --reason "…"',
  artifact_mismatch: 'Correct files_changed, and accept again.',
  conflict: 'Merge it by hand, then: parley run accept --merged; or reject it with: parley run reject --reason "…"',
  duplicate_decision_id: 'Give the decision an unused id, and accept again.',
  bad_staging: 'Write the result to that file as one complete JSON object, then accept again.',
  not_staged: 'Write the result to that file first: "parley run status" lists dispatched turns.',
  stale_staging: 'Write the result of this attempt, then accept again.',
  target_required: 'Name the turn: "parley run status" lists the active ones.',
  not_found: '"parley run status" lists the active turns.',
  turn_not_active: '"parley run status" lists the active turns.',
  turn_already_accepted: 'See "parley run history".',
  fenced_out: 'Another process has taken over the run: let it finish, or wait until its lease expires.',
  hub_not_answering: 'The hub is stopped or hangs: resume it, or end it and start it again.',
  outcome_unknown: 'Run "parley run status" to see whether it was done.',
  tree_unreadable: 'Make "git status" work in the project, then try again.',
  hook_blocked: 'A hook of agentxchain.json blocked it; see .agentxchain/hook-audit.jsonl.',
};

export async function explainRefusal(failure: RunnerFailure, project: Project): Promise<CommandError> {
  const { root, config, runner } = project;
  const { error_code, validation } = failure;
  const errors = (validation?.errors ?? []).filter(isNonEmptyText);
  // A single error is already in the message.
  const problems = errors.length > 1 ? errors : [];
  const state = await runner.loadState(root, config);
  const restart = isBeginning(failure) && state?.status === 'blocked' ? ['parley run init --new'] : [];
  // The hub may have started or stopped since the project was loaded.
  const now = { ...project, served: await findServingHub(root) };
  const hint = HINTS[error_code] ?? `Next: ${[...nextSteps(state, now), ...restart].join('; or ')}`;
  return new CommandError(EXITS[error_code] ?? 'refused', error_code, explainStatus(failure, state), hint, problems);
}

/** Turns `wrong_status` into a sentence about the run's current status. */
function explainStatus(failure: RunnerFailure, state: RunState | null): string {
  const { error, error_code, details } = failure;
  if (error_code !== 'wrong_status' || state === null) return error;
  const { run_id, status, blocked_on } = state;
  switch (status) {
    case 'completed':
      return `${run_id} is completed and accepts no more turns`;
    case 'blocked':
      return `${run_id} is blocked on ${blocked_on}: resolve that first`;
    case 'paused':
      return `${run_id} is paused: ${gateOf(state)} requires approval`;
    case 'active':
      if (isBeginning(failure)) return `${run_id} is already active`;
      return isApproval(details?.trigger) ? `no gate of ${run_id} awaits approval; it is active` : error;
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

/** True if starting a run failed: only then is a new run suggested while another one is blocked. */
function isBeginning({ details }: RunnerFailure): boolean {
  return details?.trigger === 'initialize_run';
}
