/** What is handed in for projection: known names, a turn with an id, and files that are paths. */

import { isFilled, isRecord, own, type Unknowns } from '../engine/lib/unknown-record.ts';
import type { ToProject } from '../engine/coordinator/projection.ts';
import { type CoordinatorRefusal, refused } from './refusal.ts';

export interface TurnRead {
  readonly repoId: string;
  readonly workstreamId: string;
  readonly turnId: string;
  readonly turn: Unknowns;
  readonly files: readonly string[];
}

/** These end a turn without the work being done. */
const NOT_DONE = ['blocked', 'needs_human', 'failed'];

export function readTurn({ config, state, repoId, workstreamId, turn }: ToProject): TurnRead | CoordinatorRefusal {
  if (state.status === 'completed') {
    return failed('super_run_completed', `super run ${state.super_run_id} is completed; nothing is projected any more`);
  }
  if (typeof repoId !== 'string' || own(config.repos, repoId) === undefined) {
    return failed('unknown_repo', `repo_id: repo ${shown(repoId)} is not declared in repos`);
  }
  const workstream = typeof workstreamId === 'string' ? own(config.workstreams, workstreamId) : undefined;
  if (typeof workstreamId !== 'string' || workstream === undefined) {
    return failed('unknown_workstream', `workstream_id: workstream ${shown(workstreamId)} is not declared`);
  }
  if (!workstream.repos.includes(repoId)) {
    return failed('repo_not_in_workstream', `repo "${repoId}" does not work on workstream "${workstreamId}"`);
  }
  if (!isRecord(turn) || !isFilled(turn.turn_id)) {
    return failed('missing_turn_id', 'accepted_turn.turn_id: expected the id of a turn');
  }
  const linked = own(state.repo_runs, repoId)?.run_id;
  if (isFilled(turn.run_id) && linked !== undefined && turn.run_id !== linked) {
    const error = `turn "${turn.turn_id}" is of run "${turn.run_id}"; repo "${repoId}" is linked with "${linked}"`;
    return failed('repo_run_id_mismatch', error);
  }
  if (NOT_DONE.includes(String(turn.status))) {
    return failed('turn_not_completed', `turn "${turn.turn_id}" has ended as "${turn.status}": there is no work in it`);
  }
  const files = pathsOf(turn.files_changed);
  if (files === null) return failed('bad_files_changed', 'accepted_turn.files_changed: expected an array of paths');
  return { repoId, workstreamId, turnId: turn.turn_id, turn, files };
}

function pathsOf(files: unknown): readonly string[] | null {
  if (files === undefined || files === null) return [];
  if (!Array.isArray(files)) return null;
  const paths: unknown[] = files.map((one) => (isRecord(one) ? one.path : one));
  return paths.every(isFilled) ? paths : null;
}

function failed(code: string, error: string): CoordinatorRefusal {
  return refused('projection_failed', code, error);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
