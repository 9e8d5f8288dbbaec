/** Projects an accepted turn of a repo into the super run, exactly once. */

import { sha256 } from '../../../core/lib/sha256.ts';
import { sameJson } from '../lib/digest.ts';
import { isWithin, normalizePath } from '../lib/project-paths.ts';
import { getOwn, isNonEmptyText, isRecord, type UnknownRecord } from '../lib/unknown-record.ts';
import { type BarrierEffect, recomputeBarriers } from './barriers.ts';
import { type CoordinatorRefusal, refused } from './change.ts';
import type { CoordinatorConfig } from './config.ts';
import {
  type BarrierLedgerEntry,
  type Barriers,
  type CoordinatorState,
  dispatchesOf,
  type HistoryLine,
  type ProjectionEntry,
  projectionsOf,
} from './state.ts';

export interface ProjectInput {
  readonly config: CoordinatorConfig;
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  readonly history: readonly unknown[];
  readonly repoId: unknown;
  readonly workstreamId: unknown;
  /** Entry of the repo's history, not checked yet. */
  readonly turn: unknown;
  readonly now: string;
  /** Default: decides by path alone. A caller with disk access also resolves links. */
  readonly ownerOf?: OwnerOf;
}

/** A dispatched turn whose context lacks a newer accepted turn. */
export interface Invalidation {
  readonly workstream_id: string;
  readonly repo_id: string;
  readonly repo_turn_id: string;
  readonly context_ref: string;
  /** `projection_ref` of the missing accepted turn. */
  readonly invalidated_by: string;
}

export interface Projected {
  readonly ok: true;
  readonly projection_ref: string;
  readonly is_new: boolean;
  readonly history: readonly HistoryLine[];
  readonly barriers: Barriers;
  readonly barrier_effects: readonly BarrierEffect[];
  readonly barrier_ledger: readonly BarrierLedgerEntry[];
  readonly context_invalidations: readonly Invalidation[];
}

export function projectAcceptance(given: ProjectInput): Projected | CoordinatorRefusal {
  const { config, state, barriers, history, now, ownerOf = ownerByPath(config) } = given;
  const read = readTurn(given);
  if ('ok' in read) return read;
  const stray = strayPath(read, ownerOf);
  if (stray !== null) return stray;
  const before = projectionsOf(history, state.super_run_id);
  const entry = entryOf(state, read, now);
  const known = before.find(({ repo_id, repo_turn_id }) => repo_id === read.repoId && repo_turn_id === read.turnId);
  if (known !== undefined && !isSame(known, entry)) return projectedOtherwise(known, entry);
  const projections = known === undefined ? [...before, entry] : before;
  // Recompute for a known turn too, to repair barriers that a crash left unwritten.
  const after = recomputeBarriers(barriers, read.workstreamId, config, projections);
  const shown = known ?? entry;
  return {
    ok: true,
    projection_ref: shown.projection_ref,
    is_new: known === undefined,
    history: known === undefined ? [entry] : [],
    barriers: after.barriers,
    barrier_effects: after.effects,
    barrier_ledger: after.effects.map((effect) => ledgerEntry(effect, shown, now)),
    context_invalidations: invalidationsOf(given, projections, shown),
  };
}

function strayPath({ repoId, files }: TurnRead, ownerOf: OwnerOf): CoordinatorRefusal | null {
  for (const path of files) {
    const owner = ownerOf(repoId, path);
    if (owner === repoId) continue;
    const whose = owner === null ? 'it is outside of every declared repo' : `it belongs to repo "${owner}"`;
    const error = `repo "${repoId}" may not change "${path}": ${whose}`;
    return refused('cross_repo_write_violation', 'path_outside_repo', error, { repo_id: repoId, path, owner });
  }
  return null;
}

/** Derives the reference from ids, so that the same turn always has the same reference. */
function entryOf({ super_run_id, repo_runs }: CoordinatorState, read: TurnRead, now: string): ProjectionEntry {
  const { repoId, workstreamId, turnId, turn, files } = read;
  const digest = sha256(JSON.stringify([super_run_id, workstreamId, repoId, turnId])).slice(0, 16);
  return {
    type: 'acceptance_projection',
    timestamp: now,
    super_run_id,
    projection_ref: `proj_${workstreamId}_${repoId}_${digest}`,
    workstream_id: workstreamId,
    repo_id: repoId,
    repo_run_id: getOwn(repo_runs, repoId)?.run_id ?? null,
    repo_turn_id: turnId,
    summary: typeof turn.summary === 'string' ? turn.summary : '',
    files_changed: files,
    decisions: Array.isArray(turn.decisions) ? turn.decisions : [],
    verification: turn.verification ?? null,
  };
}

/** Compares the recorded work, but not time, reference and run id. */
function isSame(known: ProjectionEntry, entry: ProjectionEntry): boolean {
  const told = ({ workstream_id, summary, files_changed, decisions }: ProjectionEntry): unknown[] => [
    workstream_id,
    summary ?? '',
    files_changed ?? [],
    decisions ?? [],
  ];
  return sameJson(told(known), told(entry));
}

function projectedOtherwise(known: ProjectionEntry, entry: ProjectionEntry): CoordinatorRefusal {
  const { repo_id, repo_turn_id, workstream_id, projection_ref } = known;
  const isElsewhere = workstream_id !== entry.workstream_id;
  const other = isElsewhere ? `for workstream "${workstream_id}"` : 'with another content';
  const error = `turn "${repo_turn_id}" of repo "${repo_id}" was projected before, ${other}`;
  const code = isElsewhere ? 'projected_elsewhere' : 'projection_conflict';
  return refused('projection_failed', code, error, { projection_ref, workstream_id });
}

function ledgerEntry(effect: BarrierEffect, by: ProjectionEntry, now: string): BarrierLedgerEntry {
  const { super_run_id, workstream_id, repo_id, repo_turn_id, projection_ref } = by;
  return {
    type: 'barrier_transition',
    timestamp: now,
    super_run_id,
    workstream_id,
    ...effect,
    causation: { type: 'acceptance_projection', projection_ref, workstream_id, repo_id, repo_turn_id },
  };
}

/** Lists dispatched, unprojected turns of this workstream and of its dependents. */
function invalidationsOf(
  { config, state, history }: ProjectInput,
  projections: readonly ProjectionEntry[],
  by: ProjectionEntry,
): readonly Invalidation[] {
  const concerned = dependents(config, by.workstream_id);
  const back = new Set(projections.map(({ repo_id, repo_turn_id }) => JSON.stringify([repo_id, repo_turn_id])));
  return dispatchesOf(history, state.super_run_id)
    .filter(({ workstream_id }) => concerned.has(workstream_id))
    .filter(({ repo_id, repo_turn_id }) => !back.has(JSON.stringify([repo_id, repo_turn_id])))
    .map(({ workstream_id, repo_id, repo_turn_id, context_ref }) => ({
      workstream_id,
      repo_id,
      repo_turn_id,
      context_ref,
      invalidated_by: by.projection_ref,
    }));
}

/** Returns the workstream and all workstreams that depend on it, directly or indirectly. */
function dependents({ workstreams }: CoordinatorConfig, id: string): ReadonlySet<string> {
  const found = new Set([id]);
  // Iterating over a growing set also visits added elements.
  for (const before of found) {
    for (const [other, { depends_on = [] }] of Object.entries(workstreams)) {
      if (depends_on.includes(before)) found.add(other);
    }
  }
  return found;
}

interface TurnRead {
  readonly repoId: string;
  readonly workstreamId: string;
  readonly turnId: string;
  readonly turn: UnknownRecord;
  readonly files: readonly string[];
}

/** Statuses without finished work. */
const NOT_DONE = ['blocked', 'needs_human', 'failed'];

function readTurn({ config, state, repoId, workstreamId, turn }: ProjectInput): TurnRead | CoordinatorRefusal {
  if (state.status === 'completed') {
    return failed('super_run_completed', `super run ${state.super_run_id} is completed; nothing more is projected`);
  }
  if (typeof repoId !== 'string' || getOwn(config.repos, repoId) === undefined) {
    return failed('unknown_repo', `repo_id: repo ${shown(repoId)} is not declared in repos`);
  }
  const workstream = typeof workstreamId === 'string' ? getOwn(config.workstreams, workstreamId) : undefined;
  if (typeof workstreamId !== 'string' || workstream === undefined) {
    return failed('unknown_workstream', `workstream_id: workstream ${shown(workstreamId)} is not declared`);
  }
  if (!workstream.repos.includes(repoId)) {
    return failed('repo_not_in_workstream', `repo "${repoId}" does not work on workstream "${workstreamId}"`);
  }
  if (!isRecord(turn) || !isNonEmptyText(turn.turn_id)) {
    return failed('missing_turn_id', 'accepted_turn.turn_id: expected the id of a turn');
  }
  const linked = getOwn(state.repo_runs, repoId)?.run_id;
  if (isNonEmptyText(turn.run_id) && linked !== undefined && turn.run_id !== linked) {
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
  return paths.every(isNonEmptyText) ? paths : null;
}

function failed(code: string, error: string): CoordinatorRefusal {
  return refused('projection_failed', code, error);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

/** Returns null if no declared repo owns the path. */
export type OwnerOf = (repoId: string, path: string) => string | null;

/** Decides by path alone: the owner is the innermost declared repo that contains the path. */
export function ownerByPath({ repos }: Pick<CoordinatorConfig, 'repos'>): OwnerOf {
  const roots = Object.entries(repos).flatMap(([id, { path }]) => {
    const place = normalizePath('.', path);
    return place === null ? [] : [{ id, place }];
  });
  return (repoId, path) => {
    const place = normalizePath(getOwn(repos, repoId)?.path ?? '.', path);
    if (place === null) return null;
    const around = roots.filter((root) => isWithin(root.place, place));
    return around.sort((a, b) => b.place.length - a.place.length)[0]?.id ?? null;
  };
}
