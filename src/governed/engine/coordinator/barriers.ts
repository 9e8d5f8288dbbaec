/** Computes barriers from projections. A satisfied barrier stays satisfied. */

import { getOwn } from '../lib/unknown-record.ts';
import {
  type BarrierType,
  type CoordinatorConfig,
  DECISION_BARRIERS,
  type IdsByRepo,
  type Workstream,
} from './config.ts';
import type { Barrier, BarrierStatus, Barriers, ProjectionEntry } from './state.ts';

export interface BarrierEffect {
  readonly barrier_id: string;
  readonly previous_status: BarrierStatus;
  readonly new_status: BarrierStatus;
}

/** Recomputes the barriers of a workstream; reports those whose status changed. */
export function recomputeBarriers(
  barriers: Barriers,
  workstreamId: string,
  config: CoordinatorConfig,
  projections: readonly ProjectionEntry[],
): { readonly barriers: Barriers; readonly effects: readonly BarrierEffect[] } {
  const its = projections.filter(({ workstream_id }) => workstream_id === workstreamId);
  const effects: BarrierEffect[] = [];
  const entries = Object.entries(barriers).map(([id, barrier]) => {
    if (barrier.workstream_id !== workstreamId) return [id, barrier];
    const done = doneRepos(barrier, config, its);
    const before = barrier.status;
    // A satisfied barrier keeps its status, but its finished repos are still updated.
    if (before === 'satisfied') {
      return [id, { ...barrier, satisfied_repos: [...new Set([...barrier.satisfied_repos, ...done])] }];
    }
    const status = statusOf(barrier, done, config, its);
    if (status !== before) effects.push({ barrier_id: id, previous_status: before, new_status: status });
    return [id, { ...barrier, satisfied_repos: done, status }];
  });
  return { barriers: Object.fromEntries(entries), effects };
}

function statusOf(
  barrier: Barrier,
  done: readonly string[],
  config: CoordinatorConfig,
  its: readonly ProjectionEntry[],
): BarrierStatus {
  const { type, required_repos, workstream_id } = barrier;
  // Only the approval of a gate that lists this barrier satisfies it.
  if (type === 'shared_human_gate') return barrier.status;
  const hasBegun = its.some(({ repo_id }) => required_repos.includes(repo_id));
  const partly = hasBegun ? 'partially_satisfied' : 'pending';
  if (type === 'ordered_repo_sequence') {
    const entry = getOwn(config.workstreams, workstream_id)?.entry_repo;
    return entry !== undefined && done.includes(entry) ? 'satisfied' : partly;
  }
  if (isOfDecisions(barrier) && decisionIds(barrier, config) === null) return partly;
  const isComplete = required_repos.length > 0 && required_repos.every((repo) => done.includes(repo));
  return isComplete ? 'satisfied' : partly;
}

/** Returns the required repos that have finished their part. */
function doneRepos(barrier: Barrier, config: CoordinatorConfig, its: readonly ProjectionEntry[]): readonly string[] {
  const ids = isOfDecisions(barrier) ? decisionIds(barrier, config) : null;
  return barrier.required_repos.filter((repo) => {
    const from = its.filter(({ repo_id }) => repo_id === repo);
    if (ids === null) return from.length > 0;
    const decided = new Set(from.flatMap(({ decisions }) => decisions.map(idOf)));
    return (getOwn(ids, repo) ?? []).every((id) => decided.has(id));
  });
}

function isOfDecisions({ type }: Barrier): boolean {
  return (DECISION_BARRIERS as readonly string[]).includes(type);
}

/** Returns the decisions required of each repo; null if none are declared, so the barrier cannot be satisfied. */
export function decisionIds(barrier: Barrier, config: CoordinatorConfig): IdsByRepo | null {
  const { required_decision_ids_by_repo: ids, alignment_decision_ids: older, type, workstream_id } = barrier;
  const declared = declaredIds(type, getOwn(config.workstreams, workstream_id));
  for (const one of [ids, byRepo(older, barrier), declared]) {
    if (one !== undefined && one !== null && Object.values(one).some((list) => list.length > 0)) return one;
  }
  return null;
}

export function declaredIds(type: BarrierType, workstream: Workstream | undefined): IdsByRepo | undefined {
  return type === 'interface_alignment' || type === 'named_decisions'
    ? workstream?.[type]?.decision_ids_by_repo
    : undefined;
}

function byRepo(ids: Barrier['alignment_decision_ids'], { required_repos }: Barrier): IdsByRepo | undefined {
  if (!Array.isArray(ids)) return ids as IdsByRepo | undefined;
  return Object.fromEntries(required_repos.map((repo) => [repo, ids as readonly string[]]));
}

function idOf(decision: unknown): unknown {
  return typeof decision === 'object' && decision !== null ? (decision as { id?: unknown }).id : decision;
}

export function openRepos({ required_repos, satisfied_repos }: Barrier): readonly string[] {
  return required_repos.filter((repo) => !satisfied_repos.includes(repo));
}

/**
 * True if every required repo has finished its part. An ordered sequence or a human gate does not show this in its
 * status, so gates and dispatch call this function.
 */
export function isWorkDone(barrier: Barrier): boolean {
  const { type, status } = barrier;
  const saysLess = type === 'ordered_repo_sequence' || type === 'shared_human_gate';
  return saysLess ? openRepos(barrier).length === 0 : status === 'satisfied';
}
