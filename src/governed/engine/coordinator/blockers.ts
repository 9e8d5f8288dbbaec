/** What keeps a gate of the coordinator shut: a code for programs, a sentence for people. */

import { getOwn } from '../lib/unknown-record.ts';
import type { CoordinatorState, RepoFacts, RepoState } from './state.ts';

interface Asked {
  readonly state: CoordinatorState;
  readonly repos: Readonly<Record<string, RepoFacts>>;
}

export function transitionBlockers(asked: Asked, required: readonly string[]): readonly CoordinatorBlocker[] {
  return required.flatMap((repo_id) => {
    const found = linkedState(asked, repo_id);
    if ('code' in found) return [found];
    const faults: CoordinatorBlocker[] = [];
    if (found.status === 'blocked') faults.push(blocker('repo_blocked', `repo "${repo_id}" is blocked`, { repo_id }));
    const turns = activeTurns(found);
    if (turns.length > 0) {
      const message = `repo "${repo_id}" has turns that are not over: ${turns.join(', ')}`;
      faults.push(blocker('repo_active_turns', message, { repo_id, turns }));
    }
    if (hasPendingGate(found)) {
      const message = `repo "${repo_id}" waits for the approval of a gate of its own`;
      faults.push(blocker('repo_pending_gate', message, { repo_id }));
    }
    return faults;
  });
}

export function completionBlockers(asked: Asked, required: readonly string[]): readonly CoordinatorBlocker[] {
  return required.flatMap((repo_id) => {
    const found = linkedState(asked, repo_id);
    if ('code' in found) return [found];
    const { status, pending_run_completion } = found;
    if (status === 'completed' || (status === 'paused' && isThere(pending_run_completion))) return [];
    const message = `repo "${repo_id}" is ${status}: neither completed nor waiting to be`;
    return [blocker('repo_not_completion_ready', message, { repo_id, status })];
  });
}

/** The state of the run that was linked, and of no other. */
export function linkedState({ state, repos }: Asked, repo_id: string): RepoState | CoordinatorBlocker {
  const found = getOwn(repos, repo_id)?.state ?? null;
  if (found === null) return blocker('repo_state_missing', `repo "${repo_id}" has no state`, { repo_id });
  const linked = getOwn(state.repo_runs, repo_id)?.run_id ?? null;
  if (linked !== null && found.run_id === linked) return found;
  const message = `repo "${repo_id}" is at run "${found.run_id}"; linked is "${linked}"`;
  return blocker('repo_run_id_mismatch', message, { repo_id, run_id: found.run_id, linked_run_id: linked });
}

export function activeTurns({ active_turns = {} }: RepoState): readonly string[] {
  return Object.keys(active_turns);
}

export function hasPendingGate({ pending_phase_transition, pending_run_completion }: RepoState): boolean {
  return isThere(pending_phase_transition) || isThere(pending_run_completion);
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}

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
