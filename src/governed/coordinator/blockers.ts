/** What keeps a gate of the coordinator shut: a code for programs, a sentence for people. */

export type BlockerCode =
  | 'no_next_phase'
  | 'phase_skip_forbidden'
  | 'repo_state_missing'
  | 'repo_run_id_mismatch'
  | 'repo_blocked'
  | 'repo_active_turns'
  | 'repo_pending_gate'
  | 'barrier_missing'
  | 'barrier_unsatisfied'
  | 'not_final_phase'
  | 'repo_not_completion_ready';

export interface CoordinatorBlocker {
  readonly code: BlockerCode;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export function blocker(
  code: BlockerCode,
  message: string,
  params: Readonly<Record<string, unknown>> = {},
): CoordinatorBlocker {
  return { code, params, message };
}
