/** Begins runs in several repos, all or none: undoes the begun runs if one fails. */

import { join } from 'node:path';
import { asText, readFileOrNull, writeFileAtomic } from '../../system/atomic-file.ts';
import type { RepoFacts, RepoRun } from '../engine/index.ts';
import { forgetNote } from './commit.ts';
import { attempted, type RepoRuns } from './repo-runs.ts';
import type { RepoRoots } from './repos.ts';

/** Lists begun repos; written before each repo is changed, so that a crash can be undone. */
const NOTE = 'initialising.json';

interface Note {
  readonly super_run_id: string;
  readonly begun: readonly Begun[];
}

/** `run_id` is null while the outcome is unknown. */
interface Begun {
  readonly id: string;
  readonly run_id: string | null;
}

interface Undone {
  readonly undone: readonly string[];
  /** Repos whose run could not be undone: a person must decide. */
  readonly left: readonly string[];
}

type RunsBegun =
  | { readonly ok: true; readonly repoRuns: Readonly<Record<string, RepoRun>> }
  | ({ readonly ok: false; readonly error_code: 'repo_not_ready' | 'init_failed'; readonly error: string } & Undone);

interface BeginRuns {
  readonly folder: string;
  readonly superRunId: string;
  readonly roots: RepoRoots;
  readonly facts: Readonly<Record<string, RepoFacts>>;
  readonly runs: RepoRuns;
}

export async function beginRuns({ folder, superRunId, roots, facts, runs }: BeginRuns): Promise<RunsBegun> {
  const repoRuns: Record<string, RepoRun> = {};
  const toBegin: string[] = [];
  for (const id of roots.keys()) {
    const state = facts[id]?.state ?? null;
    if (state === null || state.status === 'idle') toBegin.push(id);
    else if (state.status === 'active' && state.run_id !== null) {
      repoRuns[id] = linked(state.run_id, 'linked', state.phase ?? null);
    } else {
      const error = `repo "${id}" is ${state.status}; a run is linked while it is active, and begun where it is idle`;
      return { ok: false, error_code: 'repo_not_ready', error, undone: [], left: [] };
    }
  }
  const begun: Begun[] = [];
  for (const id of toBegin) {
    begun.push({ id, run_id: null });
    await writeFileAtomic(join(folder, NOTE), asText({ super_run_id: superRunId, begun } satisfies Note));
    const outcome = await attempted(() => runs.begin({ id, root: roots.get(id) ?? '' }));
    if (!outcome.ok) {
      const undoing = await undoAll(folder, begun, roots, runs);
      return { ok: false, error_code: 'init_failed', error: `repo "${id}": ${outcome.error}`, ...undoing };
    }
    begun[begun.length - 1] = { id, run_id: outcome.run_id };
    repoRuns[id] = linked(outcome.run_id, 'initialized', outcome.phase);
  }
  return { ok: true, repoRuns };
}

function linked(run_id: string, status: 'linked' | 'initialized', phase: string | null): RepoRun {
  return { run_id, status, phase, initialized_by_coordinator: status === 'initialized' };
}

export async function forgetBeginning(folder: string): Promise<void> {
  await forgetNote(join(folder, NOTE));
}

/** Undoes the runs that a crashed process began, unless they belong to the current super run `superRunId`. */
export async function undoInterrupted(
  folder: string,
  superRunId: string | null,
  roots: RepoRoots,
  runs: RepoRuns,
): Promise<Undone> {
  const text = await readFileOrNull(join(folder, NOTE));
  if (text === null) return { undone: [], left: [] };
  const { super_run_id, begun } = JSON.parse(text) as Note;
  if (super_run_id !== superRunId) return undoAll(folder, begun, roots, runs);
  await forgetBeginning(folder);
  return { undone: [], left: [] };
}

/** Undoes runs in reverse order. Keeps the note while any repo could not be undone. */
async function undoAll(folder: string, begun: readonly Begun[], roots: RepoRoots, runs: RepoRuns): Promise<Undone> {
  const undone: string[] = [];
  const left: string[] = [];
  for (const { id, run_id } of begun.toReversed()) {
    const outcome = await attempted(() => runs.undo({ id, root: roots.get(id) ?? '' }, run_id));
    (outcome.ok ? undone : left).push(id);
  }
  if (left.length === 0) await forgetBeginning(folder);
  return { undone, left };
}
