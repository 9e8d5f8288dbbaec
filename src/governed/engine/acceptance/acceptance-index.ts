/** What acceptance has to know of a run's past: which ids are taken, and what can be overridden. */

import { canonicalPath, isProductPath } from '../lib/project-paths.ts';
import type { UnknownRecord } from '../lib/unknown-record.ts';
import type { RunState } from '../state/state.ts';
import { decisionIds, type Target } from './decisions.ts';

export interface AcceptanceIndex {
  /** Turns of this run that were accepted. */
  readonly acceptedTurns: ReadonlySet<string>;
  /** Decisions in the ledger of this run. */
  readonly decisionIds: ReadonlySet<string>;
  /** Decisions of this run, and those that outlived theirs. */
  readonly targets: ReadonlyMap<string, Target>;
  /** Phases in which a completed turn has changed the product. */
  readonly workedPhases: ReadonlySet<string>;
  /** Roles that had a turn accepted, by phase. */
  readonly rolesHeard: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Read from the entries themselves. A caller that keeps an index may build the same without them. */
export function buildAcceptanceIndex(
  state: RunState,
  history: readonly UnknownRecord[],
  ledger: readonly UnknownRecord[],
): AcceptanceIndex {
  const isOfRun = ({ run_id }: UnknownRecord): boolean =>
    run_id === undefined || run_id === null || run_id === state.run_id;
  const past = history.filter(isOfRun);
  return {
    acceptedTurns: new Set(past.flatMap(({ turn_id }) => (typeof turn_id === 'string' ? [turn_id] : []))),
    decisionIds: decisionIds(ledger, state.run_id),
    targets: targetsOf(state, ledger.filter(isOfRun)),
    workedPhases: new Set(
      past.filter(changedProduct).flatMap(({ phase }) => (typeof phase === 'string' ? [phase] : [])),
    ),
    rolesHeard: rolesHeardIn(past),
  };
}

export function usedIds({ decisionIds: ids, targets }: AcceptanceIndex): ReadonlySet<string> {
  return new Set([...ids, ...targets.keys()]);
}

/** A completed turn that changed the product. */
export function changedProduct({ status, files_changed: files }: UnknownRecord): boolean {
  if (status !== 'completed' || !Array.isArray(files)) return false;
  return files.some((path) => typeof path === 'string' && isProductPath(canonicalPath(path) ?? path));
}

function rolesHeardIn(past: readonly UnknownRecord[]): ReadonlyMap<string, ReadonlySet<string>> {
  const heard = new Map<string, Set<string>>();
  for (const { phase, role } of past) {
    if (typeof phase !== 'string' || typeof role !== 'string') continue;
    heard.set(phase, (heard.get(phase) ?? new Set()).add(role));
  }
  return heard;
}

function targetsOf(state: RunState, ledger: readonly UnknownRecord[]): ReadonlyMap<string, Target> {
  const targets = new Map<string, Target>();
  for (const { id, role, authority, status, overridden_by } of state.repo_decisions) {
    targets.set(id, targetOf(id, role, authority, status !== 'overridden' && !overridden_by));
  }
  const overridden = new Set(ledger.map(({ overrides }) => overrides));
  for (const { id, role, authority, status } of ledger) {
    const isActive = !overridden.has(id) && status !== 'overridden';
    // A decision that outlives its run stands in both, and is overridden in either.
    if (typeof id === 'string')
      targets.set(id, targetOf(id, role, authority, isActive && targets.get(id)?.isActive !== false));
  }
  return targets;
}

function targetOf(id: string, role: unknown, authority: unknown, isActive: boolean): Target {
  return {
    id,
    isActive,
    role: typeof role === 'string' ? role : null,
    authority: typeof authority === 'number' ? authority : null,
  };
}
