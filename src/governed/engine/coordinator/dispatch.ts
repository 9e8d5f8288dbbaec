/** Which repo gets the next turn, and for which workstream. */

import { own } from '../lib/unknown-record.ts';
import { isWorkDone, openRepos } from './barriers.ts';
import type { Workstream } from './config.ts';
import type { DispatchEntry } from './state.ts';
import type { CoordinatorView } from './gates.ts';
import { activeTurns, hasPendingGate, linkedState } from './blockers.ts';
import type { Barrier, CoordinatorState } from '../../coordinator/state.ts';

export interface Dispatch {
  readonly workstream_id: string;
  readonly repo_id: string;
}

/** The entry workstream of the phase first; within one, the entry repo first. */
export function nextDispatch(view: CoordinatorView): Dispatch | null {
  const { config, state } = view;
  const entry = own(config.routing, state.phase)?.entry_workstream;
  const ids = Object.keys(config.workstreams).filter((id) => config.workstreams[id]?.phase === state.phase);
  const inOrder = entry !== undefined && ids.includes(entry) ? [entry, ...ids.filter((id) => id !== entry)] : ids;
  for (const workstream_id of inOrder) {
    const workstream = own(config.workstreams, workstream_id);
    const barrier = barrierOf(view, workstream_id);
    if (workstream === undefined || barrier === null || isWorkDone(barrier)) continue;
    if (!areDependenciesDone(view, workstream)) continue;
    const repo_id = candidates(workstream, barrier).find((repo) => isFree(view, repo));
    if (repo_id !== undefined) return { workstream_id, repo_id };
  }
  return null;
}

/** Those whose turn it is. In an ordered sequence that is one; elsewhere all, once the entry repo has done its part. */
function candidates({ repos, entry_repo, completion_barrier }: Workstream, barrier: Barrier): readonly string[] {
  const open = openRepos(barrier);
  const inOrder = [entry_repo, ...repos.filter((repo) => repo !== entry_repo)].filter((repo) => open.includes(repo));
  const isOneByOne = completion_barrier === 'ordered_repo_sequence' || inOrder[0] === entry_repo;
  return isOneByOne ? inOrder.slice(0, 1) : inOrder;
}

/** Neither busy nor blocked, nor waiting for somebody, nor over. */
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
