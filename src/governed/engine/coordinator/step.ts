/** Decides the next single step of the coordinator from the current view. */

import { getOwn, isMissing } from '../lib/unknown-record.ts';
import { needsPerson } from './approve.ts';
import { coordinatorPhases } from './config.ts';
import { nextDispatch } from './dispatch.ts';
import {
  type CoordinatorBlocker,
  type CoordinatorView,
  evaluateCoordinatorCompletion,
  evaluateCoordinatorTransition,
  type GateDraft,
  linkedState,
} from './gates.ts';
import { type AcceptedTurn, dispatchesOf, projectionsOf, type RepoRun, refusalsOf } from './state.ts';

export type CoordinatorStep =
  | { readonly action: 'refuse'; readonly code: 'super_run_completed' | 'gate_pending'; readonly gate: string | null }
  /** No person has to approve the gate. */
  | { readonly action: 'approve_gate'; readonly gate: string }
  | { readonly action: 'escalate'; readonly code: string; readonly detail: string }
  /** A repo's state is unreadable or its run is not the linked one: a person must decide. */
  | { readonly action: 'block'; readonly blockers: readonly [CoordinatorBlocker, ...CoordinatorBlocker[]] }
  /** Copies the current phases of the repos to the linked runs. */
  | { readonly action: 'resync'; readonly repo_runs: Readonly<Record<string, RepoRun>> }
  | ({ readonly action: 'project' } & Acceptance)
  | { readonly action: 'dispatch'; readonly workstream_id: string; readonly repo_id: string }
  | { readonly action: 'request_gate'; readonly gate: GateDraft }
  | { readonly action: 'wait'; readonly blockers: readonly CoordinatorBlocker[] };

export function nextCoordinatorStep(view: CoordinatorView): CoordinatorStep {
  const { state } = view;
  if (state.status === 'completed') return { action: 'refuse', code: 'super_run_completed', gate: null };
  if (state.status === 'blocked') {
    const { code = 'unknown', detail = '' } = state.blocked_reason ?? {};
    return { action: 'escalate', code, detail };
  }
  if (state.pending_gate !== null) {
    const { gate } = state.pending_gate;
    return needsPerson(state.pending_gate)
      ? { action: 'refuse', code: 'gate_pending', gate }
      : { action: 'approve_gate', gate };
  }
  return divergence(view) ?? work(view);
}

/** Compares linked runs with the repos: blocks on a mismatch, resyncs changed phases. */
function divergence(view: CoordinatorView): CoordinatorStep | null {
  const { state } = view;
  const blockers: CoordinatorBlocker[] = [];
  const moved: Record<string, RepoRun> = {};
  for (const [id, run] of Object.entries(state.repo_runs)) {
    const found = linkedState(view, id);
    if ('code' in found) blockers.push(found);
    else if ((found.phase ?? null) !== (run.phase ?? null)) moved[id] = { ...run, phase: found.phase ?? null };
  }
  const [first, ...others] = blockers;
  if (first !== undefined) return { action: 'block', blockers: [first, ...others] };
  if (Object.keys(moved).length === 0) return null;
  return { action: 'resync', repo_runs: { ...state.repo_runs, ...moved } };
}

function work(view: CoordinatorView): CoordinatorStep {
  const acceptance = nextAcceptance(view);
  if (acceptance !== null) return { action: 'project', ...acceptance };
  const dispatch = nextDispatch(view);
  if (dispatch !== null) return { action: 'dispatch', ...dispatch };
  const isLast = coordinatorPhases(view.config).at(-1) === view.state.phase;
  const verdict = isLast ? evaluateCoordinatorCompletion(view) : evaluateCoordinatorTransition(view);
  return verdict.is_ready
    ? { action: 'request_gate', gate: verdict.gate }
    : { action: 'wait', blockers: verdict.blockers };
}

interface Acceptance {
  readonly repo_id: string;
  readonly workstream_id: string;
  readonly turn: AcceptedTurn;
}

/** Returns the first unprojected turn, in the order of repos, then of history. */
function nextAcceptance(view: CoordinatorView): Acceptance | null {
  const { config, state, history, repos } = view;
  const noted = [...projectionsOf(history, state.super_run_id), ...refusalsOf(history, state.super_run_id)];
  const known = new Set(noted.map(({ repo_id, repo_turn_id }) => keyOf(repo_id, repo_turn_id)));
  for (const repo_id of Object.keys(config.repos)) {
    const linked = getOwn(state.repo_runs, repo_id)?.run_id;
    for (const turn of getOwn(repos, repo_id)?.accepted ?? []) {
      if (!isMissing(turn.run_id) && turn.run_id !== linked) continue;
      // Unfinished work stays in the repo until a later turn completes it.
      if (turn.status !== undefined && turn.status !== 'completed') continue;
      if (known.has(keyOf(repo_id, turn.turn_id))) continue;
      const workstream_id = workstreamOf(view, repo_id, turn.turn_id);
      if (workstream_id !== null) return { repo_id, workstream_id, turn };
    }
  }
  return null;
}

/** Returns the workstream of the turn's dispatch; without one, the repo's workstream if only one is possible. */
function workstreamOf({ config, state, history }: CoordinatorView, repoId: string, turnId: string): string | null {
  const sent = dispatchesOf(history, state.super_run_id).find(
    ({ repo_id, repo_turn_id }) => repo_id === repoId && repo_turn_id === turnId,
  );
  if (sent !== undefined) return sent.workstream_id;
  const possible = Object.entries(config.workstreams).filter(
    ([, { phase, repos }]) => phase === state.phase && repos.includes(repoId),
  );
  return possible.length === 1 ? (possible[0]?.[0] ?? null) : null;
}

function keyOf(repoId: string, turnId: string): string {
  return JSON.stringify([repoId, turnId]);
}
