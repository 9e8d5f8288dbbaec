/** Indexes history and ledger for acceptance: used ids, and decisions that can be overridden. */

import {
  type AcceptanceIndex,
  buildAcceptanceIndex,
  changedProduct,
} from '../../engine/acceptance/acceptance-index.ts';
import { entriesOfRun } from '../../engine/acceptance/decisions.ts';
import { getOwn, textsOf, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import type { RunState } from '../../engine/state/state.ts';

interface IndexedDecision {
  readonly id: string;
  readonly role: string | null;
  readonly authority: number | null;
  readonly overrides: string | null;
  readonly is_overridden: boolean;
}

export interface HistoryIndex {
  readonly turns: readonly string[];
  readonly decisions: readonly IndexedDecision[];
  /** Phases with a completed turn that changed the product. */
  readonly worked_phases: readonly string[];
  /** Roles with an accepted turn, by phase. */
  readonly roles_heard: Readonly<Record<string, readonly string[]>>;
}

export const EMPTY_HISTORY_INDEX: HistoryIndex = Object.freeze({
  turns: [],
  decisions: [],
  worked_phases: [],
  roles_heard: {},
});

export function toAcceptanceIndex(
  { turns, decisions, worked_phases, roles_heard }: HistoryIndex,
  run: RunState,
): AcceptanceIndex {
  const history = turns.map((turn_id) => ({ turn_id }));
  const ledger = decisions.map(({ is_overridden, ...decision }) => ({
    ...decision,
    status: is_overridden ? 'overridden' : 'accepted',
  }));
  const rolesHeard = new Map(Object.entries(roles_heard).map(([phase, roles]) => [phase, new Set(roles)]));
  return { ...buildAcceptanceIndex(run, history, ledger), workedPhases: new Set(worked_phases), rolesHeard };
}

/** Adds entries; skips known ids. */
export function addToIndex(
  books: HistoryIndex,
  run: RunState,
  history: readonly UnknownRecord[],
  ledger: readonly UnknownRecord[],
): HistoryIndex {
  const past = entriesOfRun(history, run.run_id);
  const turns = past.map(({ turn_id }) => turn_id);
  const phases = past.filter(changedProduct).map(({ phase }) => phase);
  const known = new Set(books.decisions.map(({ id }) => id));
  const added: IndexedDecision[] = [];
  for (const entry of entriesOfRun(ledger, run.run_id)) {
    const { id } = entry;
    if (typeof id !== 'string' || known.has(id)) continue;
    known.add(id);
    added.push(decisionOf(id, entry));
  }
  return {
    turns: withTexts(books.turns, turns),
    decisions: [...books.decisions, ...added],
    worked_phases: withTexts(books.worked_phases, phases),
    roles_heard: past.reduce(withRole, books.roles_heard),
  };
}

function withRole(heard: HistoryIndex['roles_heard'], { phase, role }: UnknownRecord): HistoryIndex['roles_heard'] {
  if (typeof phase !== 'string' || typeof role !== 'string') return heard;
  const before = getOwn(heard, phase) ?? [];
  return before.includes(role) ? heard : { ...heard, [phase]: [...before, role] };
}

function withTexts(before: readonly string[], added: readonly unknown[]): readonly string[] {
  return [...new Set([...before, ...textsOf(added)])];
}

function decisionOf(id: string, { role, authority, overrides, status, overridden_by }: UnknownRecord): IndexedDecision {
  return {
    id,
    role: typeof role === 'string' ? role : null,
    authority: typeof authority === 'number' ? authority : null,
    overrides: typeof overrides === 'string' ? overrides : null,
    is_overridden: status === 'overridden' || typeof overridden_by === 'string',
  };
}
