/** What a run refuses, told with what to type next. */

import { isFilled } from '../../governed/engine/lib/unknown-record.ts';
import type { RunnerFailure } from '../../governed/runner/contract/types.ts';
import type { ExitName } from '../terminal/exit-codes.ts';
import { Trouble } from '../terminal/command-error.ts';
import { nextSteps } from './next-steps.ts';
import { type Project, STATE_HINT } from './project.ts';
import { servedBy } from '../../node/commands/governed/served-by.ts';
import { isBeginning, standsOtherwise } from '../../node/commands/governed/stands-otherwise.ts';

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

export async function refusedBy(failure: RunnerFailure, project: Project): Promise<Trouble> {
  const { root, config, runner } = project;
  const { error_code, validation } = failure;
  const errors = (validation?.errors ?? []).filter(isFilled);
  // One alone is in the sentence already.
  const problems = errors.length > 1 ? errors : [];
  const state = await runner.loadState(root, config);
  const anew = isBeginning(failure) && state?.status === 'blocked' ? ['parley run init --new'] : [];
  // It may have come or gone meanwhile.
  const now = { ...project, served: await servedBy(root) };
  const hint = HINTS[error_code] ?? `Next: ${[...nextSteps(state, now), ...anew].join('; or ')}`;
  const said = standsOtherwise(failure, state);
  return new Trouble(EXITS[error_code] ?? 'refused', error_code, said, hint, problems);
}
