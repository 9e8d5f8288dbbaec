/** Decides whether the super run may enter its next phase or end. Lists every blocker, not only the first. */

import { getOwn, isMissing } from '../lib/unknown-record.ts';
import { isWorkDone, openRepos } from './barriers.ts';
import { type CoordinatorConfig, coordinatorPhases } from './config.ts';
import type { Barrier, Barriers, CoordinatorState, PendingGate, RepoFacts, RepoState } from './state.ts';

/** The input of every coordinator decision. */
export interface CoordinatorView {
  readonly config: CoordinatorConfig;
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  readonly history: readonly unknown[];
  readonly repos: Readonly<Record<string, RepoFacts>>;
}

export type GateDraft = Omit<PendingGate, 'requested_at'>;

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

/** A reason why a gate stays closed. */
export interface CoordinatorBlocker {
  readonly code: BlockerCode;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export type CoordinatorVerdict =
  | { readonly is_ready: true; readonly gate: GateDraft }
  | { readonly is_ready: false; readonly blockers: readonly CoordinatorBlocker[] };

const SHIP_GATE = 'initiative_ship';

/** `to` is the requested phase (default: the next phase). */
export function evaluateCoordinatorTransition(view: CoordinatorView, to?: string): CoordinatorVerdict {
  const { config, state } = view;
  const phases = coordinatorPhases(config);
  const next = phases[phases.indexOf(state.phase) + 1];
  if (next === undefined || !phases.includes(state.phase)) {
    return shut([blocker('no_next_phase', `no phase comes after "${state.phase}"`, { phase: state.phase })]);
  }
  if (to !== undefined && to !== next) {
    const message = `after "${state.phase}" comes "${next}", not "${to}"`;
    return shut([blocker('phase_skip_forbidden', message, { from: state.phase, to, next })]);
  }
  const gate = draftOf(view, 'phase_transition', `phase_transition:${state.phase}->${next}`, next);
  return verdict(
    view,
    gate,
    gate.required_repos.flatMap((id) => transitionBlockers(view, id)),
    state.phase,
  );
}

export function evaluateCoordinatorCompletion(view: CoordinatorView): CoordinatorVerdict {
  const { config, state } = view;
  const last = coordinatorPhases(config).at(-1);
  if (state.phase !== last) {
    const message = `the super run is in "${state.phase}"; it ends in "${last}"`;
    return shut([blocker('not_final_phase', message, { phase: state.phase, final_phase: last })]);
  }
  const gate = draftOf(view, 'run_completion', SHIP_GATE, null);
  return verdict(
    view,
    gate,
    gate.required_repos.flatMap((id) => completionBlockers(view, id)),
  );
}

function draftOf(
  { config, state }: CoordinatorView,
  gate_type: GateDraft['gate_type'],
  gate: string,
  to: string | null,
): GateDraft {
  const declared = getOwn(config.gates, gate);
  const required = Object.keys(config.repos).filter((id) => config.repos[id]?.required !== false);
  return {
    gate_type,
    gate,
    from: state.phase,
    to,
    required_repos: declared?.requires_repos ?? required,
    human_barriers: [],
    requires_human_approval: declared?.requires_human_approval ?? true,
  };
}

/** Adds the blockers of barriers: of phase `ofPhase` if it is given, otherwise of all phases. */
function verdict(
  { config, barriers }: CoordinatorView,
  gate: GateDraft,
  repoBlockers: readonly CoordinatorBlocker[],
  ofPhase?: string,
): CoordinatorVerdict {
  const human_barriers: string[] = [];
  const blockers = [...repoBlockers];
  for (const [workstream_id, { phase }] of Object.entries(config.workstreams)) {
    if (ofPhase !== undefined && phase !== ofPhase) continue;
    const its = Object.entries(barriers).filter(([, one]) => one.workstream_id === workstream_id);
    if (its.length === 0) {
      blockers.push(blocker('barrier_missing', `workstream "${workstream_id}" has no barrier`, { workstream_id }));
    }
    for (const [barrier_id, one] of its) {
      const isShut = one.type !== 'shared_human_gate' && one.status !== 'satisfied';
      if (isShut || !isWorkDone(one)) blockers.push(unsatisfied(barrier_id, one));
      else if (one.status !== 'satisfied') human_barriers.push(barrier_id);
    }
  }
  return blockers.length > 0 ? shut(blockers) : { is_ready: true, gate: { ...gate, human_barriers } };
}

function unsatisfied(barrier_id: string, barrier: Barrier): CoordinatorBlocker {
  const { workstream_id, status } = barrier;
  const open_repos = openRepos(barrier);
  const message = `barrier "${barrier_id}" of workstream "${workstream_id}" is ${status}; it waits for ${open_repos.join(', ')}`;
  return blocker('barrier_unsatisfied', message, { barrier_id, workstream_id, status, open_repos });
}

function shut(blockers: readonly CoordinatorBlocker[]): CoordinatorVerdict {
  return { is_ready: false, blockers };
}

function transitionBlockers(view: CoordinatorView, repo_id: string): readonly CoordinatorBlocker[] {
  const found = linkedState(view, repo_id);
  if ('code' in found) return [found];
  const blockers: CoordinatorBlocker[] = [];
  if (found.status === 'blocked') blockers.push(blocker('repo_blocked', `repo "${repo_id}" is blocked`, { repo_id }));
  const turns = activeTurns(found);
  if (turns.length > 0) {
    const message = `repo "${repo_id}" has unfinished turns: ${turns.join(', ')}`;
    blockers.push(blocker('repo_active_turns', message, { repo_id, turns }));
  }
  if (hasPendingGate(found)) {
    const message = `repo "${repo_id}" waits for the approval of one of its gates`;
    blockers.push(blocker('repo_pending_gate', message, { repo_id }));
  }
  return blockers;
}

function completionBlockers(view: CoordinatorView, repo_id: string): readonly CoordinatorBlocker[] {
  const found = linkedState(view, repo_id);
  if ('code' in found) return [found];
  const { status, pending_run_completion } = found;
  if (status === 'completed' || (status === 'paused' && !isMissing(pending_run_completion))) return [];
  const message = `repo "${repo_id}" is ${status}: neither completed nor waiting to be`;
  return [blocker('repo_not_completion_ready', message, { repo_id, status })];
}

/** Returns the repo's state if the repo is still at the linked run, otherwise a blocker. */
export function linkedState({ state, repos }: CoordinatorView, repo_id: string): RepoState | CoordinatorBlocker {
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
  return !isMissing(pending_phase_transition) || !isMissing(pending_run_completion);
}

function blocker(
  code: BlockerCode,
  message: string,
  params: Readonly<Record<string, unknown>> = {},
): CoordinatorBlocker {
  return { code, params, message };
}
