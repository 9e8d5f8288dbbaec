/** Assigns a turn in a repo. Writes a note first, so that a crash cannot lose the turn. */

import { join } from 'node:path';
import { asText, readFileOrNull, removeFile, writeFileAtomic } from '../../system/atomic-file.ts';
import {
  type CoordinatorView,
  coordinatorContext,
  coordinatorContextText,
  type Dispatch,
  type DispatchEntry,
  dispatchEntry,
  type RepoFacts,
} from '../engine/index.ts';
import { forgetNote } from './commit.ts';
import { attempted, type RepoRuns, type RunnerFailure } from './repo-runs.ts';
import type { RepoRoots } from './repos.ts';

const NOTE = 'dispatching.json';

interface Note extends Dispatch {
  readonly super_run_id: string;
  readonly context_ref: string;
  /** Turns that the repo had before the dispatch. */
  readonly known: readonly string[];
}

interface ToSend {
  readonly folder: string;
  readonly view: CoordinatorView;
  readonly roots: RepoRoots;
  readonly runs: RepoRuns;
  readonly dispatch: Dispatch;
  readonly now: string;
}

export async function sendTurn(
  given: ToSend,
): Promise<{ readonly ok: true; readonly entry: DispatchEntry } | RunnerFailure> {
  const { folder, view, roots, runs, dispatch, now } = given;
  const context = coordinatorContext(view, dispatch);
  const { context_ref } = context;
  const contextFolder = join(folder, 'context', context_ref);
  await writeFileAtomic(join(contextFolder, 'COORDINATOR_CONTEXT.json'), asText(context));
  await writeFileAtomic(join(contextFolder, 'COORDINATOR_CONTEXT.md'), coordinatorContextText(context));
  const known = turnsIn(view.repos[dispatch.repo_id]);
  const note: Note = { ...dispatch, super_run_id: view.state.super_run_id, context_ref, known };
  await writeFileAtomic(join(folder, NOTE), asText(note));
  const repo = { id: dispatch.repo_id, root: roots.get(dispatch.repo_id) ?? '' };
  const outcome = await attempted(() => runs.assign(repo, context, contextFolder));
  if (!outcome.ok) {
    await removeFile(join(folder, NOTE));
    return { ok: false, error: `repo "${dispatch.repo_id}": ${outcome.error}` };
  }
  const dispatched = { ...dispatch, turnId: outcome.turn_id, contextRef: context_ref, now };
  return { ok: true, entry: dispatchEntry(view.state, dispatched) };
}

/** Finds the turn of an interrupted dispatch; null if there is none or more than one is possible. */
export async function interruptedDispatch(
  folder: string,
  view: CoordinatorView,
  now: string,
): Promise<DispatchEntry | null> {
  const text = await readFileOrNull(join(folder, NOTE));
  if (text === null) return null;
  const { super_run_id, workstream_id, repo_id, context_ref, known } = JSON.parse(text) as Note;
  const sent = (view.history as readonly Partial<DispatchEntry>[]).filter(
    (line) => line.type === 'turn_dispatched' && line.repo_id === repo_id,
  );
  const recorded = new Set([...known, ...sent.map(({ repo_turn_id }) => repo_turn_id)]);
  const fresh = turnsIn(view.repos[repo_id]).filter((turn) => !recorded.has(turn));
  const [turnId] = fresh;
  if (super_run_id !== view.state.super_run_id || turnId === undefined || fresh.length > 1) return null;
  return dispatchEntry(view.state, { workstream_id, repo_id, turnId, contextRef: context_ref, now });
}

export async function forgetDispatch(folder: string): Promise<void> {
  await forgetNote(join(folder, NOTE));
}

function turnsIn(facts: RepoFacts | undefined): readonly string[] {
  return [...Object.keys(facts?.state?.active_turns ?? {}), ...(facts?.accepted ?? []).map(({ turn_id }) => turn_id)];
}
