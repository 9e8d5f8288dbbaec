/** Indexes history and ledger for acceptance: used ids, and decisions that can be overridden. */

import { canonicalPath, isProductPath } from '../lib/project-paths.ts';
import { textsOf, type UnknownRecord } from '../lib/unknown-record.ts';
import type { RunState } from '../state/state.ts';
import { decisionIds, entriesOfRun, type Target } from './decisions.ts';

export interface AcceptanceIndex {
  readonly acceptedTurns: ReadonlySet<string>;
  /** Decision ids in the ledger of this run. */
  readonly decisionIds: ReadonlySet<string>;
  /** Decisions of this run and of earlier runs that an override can name. */
  readonly targets: ReadonlyMap<string, Target>;
  /** Phases with a completed turn that changed the product. */
  readonly workedPhases: ReadonlySet<string>;
  /** Roles with an accepted turn, by phase. */
  readonly rolesHeard: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Builds the index from history and ledger. Callers that maintain an equal index need not call it. */
export function buildAcceptanceIndex(
  state: RunState,
  history: readonly UnknownRecord[],
  ledger: readonly UnknownRecord[],
): AcceptanceIndex {
  const past = entriesOfRun(history, state.run_id);
  return {
    acceptedTurns: new Set(textsOf(past.map(({ turn_id }) => turn_id))),
    decisionIds: decisionIds(ledger, state.run_id),
    targets: targetsOf(state, entriesOfRun(ledger, state.run_id)),
    workedPhases: new Set(textsOf(past.filter(changedProduct).map(({ phase }) => phase))),
    rolesHeard: rolesHeardIn(past),
  };
}

export function usedIds({ decisionIds: ids, targets }: AcceptanceIndex): ReadonlySet<string> {
  return new Set([...ids, ...targets.keys()]);
}

export function changedProduct({ status, files_changed: files }: UnknownRecord): boolean {
  return status === 'completed' && textsOf(files).some((path) => isProductPath(canonicalPath(path) ?? path));
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
    // A carried decision is in both lists; an override in either list makes it inactive.
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
