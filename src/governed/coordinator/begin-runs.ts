/** Runs in several repos, all or none: what was begun is undone when one of them cannot be. */

import { join } from 'node:path';
import { asText, readFileOrNull, removeFile, writeFileAtomic } from '../../system/atomic-file.ts';
import type { RepoFacts, RepoRun } from '../engine/index.ts';
import { attempted, type RepoRuns } from './repo-runs.ts';
import type { RepoRoots } from './repos.ts';

/** Written before a repo is touched, so that a crash does not make it forgotten. */
const NOTE = 'initialising.json';

interface Note {
  readonly super_run_id: string;
  readonly begun: readonly Begun[];
}

/** null = nobody has seen yet which. */
interface Begun {
  readonly id: string;
  readonly run_id: string | null;
}

type RunsBegun =
  | { readonly ok: true; readonly repoRuns: Readonly<Record<string, RepoRun>> }
  | {
      readonly ok: false;
      readonly error_code: 'repo_not_ready' | 'init_failed';
      readonly error: string;
      readonly undone: readonly string[];
      /** Where the undoing failed too: a person has to look. */
      readonly left: readonly string[];
    };

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

/** The super run is durable: nothing is undone any more. */
export async function forgetBeginning(folder: string): Promise<void> {
  if ((await readFileOrNull(join(folder, NOTE))) !== null) await removeFile(join(folder, NOTE));
}

/** Of a process that ended in the middle. `superRunId`: the one that is there now. */
export async function undoInterrupted(
  folder: string,
  superRunId: string | null,
  roots: RepoRoots,
  runs: RepoRuns,
): Promise<{ readonly undone: readonly string[]; readonly left: readonly string[] }> {
  const text = await readFileOrNull(join(folder, NOTE));
  if (text === null) return { undone: [], left: [] };
  const { super_run_id, begun } = JSON.parse(text) as Note;
  if (super_run_id !== superRunId) return undoAll(folder, begun, roots, runs);
  await forgetBeginning(folder);
  return { undone: [], left: [] };
}

/** In reverse. The note stays while something is left. */
async function undoAll(
  folder: string,
  begun: readonly Begun[],
  roots: RepoRoots,
  runs: RepoRuns,
): Promise<{ readonly undone: readonly string[]; readonly left: readonly string[] }> {
  const undone: string[] = [];
  const left: string[] = [];
  for (const { id, run_id } of begun.toReversed()) {
    const outcome = await attempted(() => runs.undo({ id, root: roots.get(id) ?? '' }, run_id));
    (outcome.ok ? undone : left).push(id);
  }
  if (left.length === 0) await forgetBeginning(folder);
  return { undone, left };
}
