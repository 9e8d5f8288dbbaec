/** Chooses the repo and workstream of the next turn, and builds its context. */

import { digestOf } from '../lib/digest.ts';
import { getOwn } from '../lib/unknown-record.ts';
import { decisionIds, isWorkDone, openRepos } from './barriers.ts';
import type { Workstream } from './config.ts';
import { activeTurns, type CoordinatorView, hasPendingGate, linkedState } from './gates.ts';
import { type Barrier, type Barriers, type CoordinatorState, type DispatchEntry, projectionsOf } from './state.ts';

export interface Dispatch {
  readonly workstream_id: string;
  readonly repo_id: string;
}

/** Tries the entry workstream first and, within a workstream, the entry repo first. */
export function nextDispatch(view: CoordinatorView): Dispatch | null {
  const { config, state } = view;
  const entry = getOwn(config.routing, state.phase)?.entry_workstream;
  const ids = Object.keys(config.workstreams).filter((id) => config.workstreams[id]?.phase === state.phase);
  const inOrder = entry !== undefined && ids.includes(entry) ? [entry, ...ids.filter((id) => id !== entry)] : ids;
  for (const workstream_id of inOrder) {
    const workstream = getOwn(config.workstreams, workstream_id);
    const barrier = barrierOf(view, workstream_id);
    if (workstream === undefined || barrier === null || isWorkDone(barrier)) continue;
    if (!areDependenciesDone(view, workstream)) continue;
    const repo_id = candidates(workstream, barrier).find((repo) => isFree(view, repo));
    if (repo_id !== undefined) return { workstream_id, repo_id };
  }
  return null;
}

/** Returns one repo in an ordered sequence or while the entry repo is open; otherwise all open repos. */
function candidates({ repos, entry_repo, completion_barrier }: Workstream, barrier: Barrier): readonly string[] {
  const open = openRepos(barrier);
  const inOrder = [entry_repo, ...repos.filter((repo) => repo !== entry_repo)].filter((repo) => open.includes(repo));
  const isOneByOne = completion_barrier === 'ordered_repo_sequence' || inOrder[0] === entry_repo;
  return isOneByOne ? inOrder.slice(0, 1) : inOrder;
}

function isFree(view: CoordinatorView, repo: string): boolean {
  const found = linkedState(view, repo);
  return !('code' in found) && found.status === 'active' && activeTurns(found).length === 0 && !hasPendingGate(found);
}

function areDependenciesDone(view: CoordinatorView, { depends_on = [] }: Workstream): boolean {
  return depends_on.every((id) => {
    const barrier = barrierOf(view, id);
    return barrier !== null && isWorkDone(barrier);
  });
}

function barrierOf({ barriers }: CoordinatorView, workstreamId: string): Barrier | null {
  return Object.values(barriers).find(({ workstream_id }) => workstream_id === workstreamId) ?? null;
}

export interface Dispatched extends Dispatch {
  readonly turnId: string;
  readonly contextRef: string;
  readonly now: string;
}

export function dispatchEntry({ super_run_id }: CoordinatorState, dispatched: Dispatched): DispatchEntry {
  const { workstream_id, repo_id, turnId, contextRef, now } = dispatched;
  return {
    type: 'turn_dispatched',
    timestamp: now,
    super_run_id,
    workstream_id,
    repo_id,
    repo_turn_id: turnId,
    context_ref: contextRef,
  };
}

export interface CoordinatorContext extends Dispatch {
  readonly context_ref: string;
  readonly super_run_id: string;
  readonly phase: string;
  /** Accepted turns of this workstream and of its dependencies, oldest first. */
  readonly accepted: readonly {
    readonly projection_ref: string;
    readonly workstream_id: string;
    readonly repo_id: string;
    readonly summary: string;
    readonly files_changed: readonly string[];
    readonly decisions: readonly unknown[];
  }[];
  readonly required_decision_ids: readonly string[];
  readonly barriers: Barriers;
}

/** Builds the context of a dispatch. Equal contexts get equal references. */
export function coordinatorContext(view: CoordinatorView, { workstream_id, repo_id }: Dispatch): CoordinatorContext {
  const { config, state, history, barriers } = view;
  const before = [workstream_id, ...(getOwn(config.workstreams, workstream_id)?.depends_on ?? [])];
  const its = Object.entries(barriers).filter(([, one]) => before.includes(one.workstream_id));
  const required = its.flatMap(([, one]) =>
    one.workstream_id === workstream_id ? (getOwn(decisionIds(one, config), repo_id) ?? []) : [],
  );
  const context = {
    super_run_id: state.super_run_id,
    workstream_id,
    repo_id,
    phase: state.phase,
    accepted: projectionsOf(history, state.super_run_id)
      .filter((one) => before.includes(one.workstream_id))
      .map(({ projection_ref, workstream_id, repo_id, summary, files_changed, decisions }) => ({
        projection_ref,
        workstream_id,
        repo_id,
        summary,
        files_changed,
        decisions,
      })),
    required_decision_ids: [...new Set(required)],
    barriers: Object.fromEntries(its),
  };
  return { context_ref: `ctx_${workstream_id}_${repo_id}_${digestOf(context).slice(0, 16)}`, ...context };
}

export function coordinatorContextText(context: CoordinatorContext): string {
  const { workstream_id, repo_id, phase, super_run_id, accepted, required_decision_ids, barriers } = context;
  const done = accepted.map((one) => `- ${one.repo_id} (${one.workstream_id}): ${one.summary}`);
  const open = Object.entries(barriers).map(([id, { type, status }]) => `- ${id}: ${type}, ${status}`);
  const ids = required_decision_ids.map((id) => `- ${id}`);
  return [
    `# Workstream ${workstream_id}, repo ${repo_id}`,
    `Super run ${super_run_id}, phase ${phase}. Change files of this repo only.`,
    ...section('Accepted so far', done),
    ...section('Decisions this repo has to make', ids),
    ...section('Barriers', open),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', `## ${title}`, '', ...(lines.length > 0 ? lines : ['(none)'])];
}
