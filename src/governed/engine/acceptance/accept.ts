/**
 * Accepts a result into the run exactly once and as a whole, or refuses it.
 * Compares the observed file changes with those that the result and other turns declare.
 */

import { authorityOf, type GovernedConfig } from '../config/config.ts';
import type { EventDraft } from '../events/events.ts';
import type { CompletionVerdict, PhaseVerdict, ReadFiles } from '../gates/verdict.ts';
import { canonicalAll, isProductPath, isReserved } from '../lib/project-paths.ts';
import { type Refused, refuse } from '../run/moves.ts';
import type { RunState, Turn } from '../state/state.ts';
import type { TurnResult } from '../turn-result/result.ts';
import { type Invalid, type Valid, validateTurnResult } from '../turn-result/validate.ts';
import { findActiveTurn, turnNotActive } from '../turns/active.ts';
import { type AcceptanceIndex, usedIds } from './acceptance-index.ts';
import { checkDecision, checkOverrides, type RepoDecisionRecord } from './decisions.ts';
import {
  type Accepted,
  type HistoryEntry,
  historyEntry,
  type LedgerEntry,
  ledgerEntries,
  repoRecords,
} from './entries.ts';
import { settle } from './settle.ts';

export interface AcceptInput {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly books: AcceptanceIndex;
  readonly turnId: string;
  readonly result: unknown;
  readonly files: ReadFiles;
  /** Changed files that the runner observed; null or absent if it could not observe them. */
  readonly observed?: readonly string[] | null;
  /** `human_merge` means that a person has merged the conflicting files. */
  readonly resolution?: 'standard' | 'human_merge';
  readonly now: string;
}

export interface TurnAccepted {
  readonly ok: true;
  readonly state: RunState;
  readonly history: HistoryEntry;
  readonly ledger: readonly LedgerEntry[];
  readonly repoDecisions: readonly RepoDecisionRecord[];
  readonly events: readonly EventDraft[];
  readonly validation: Valid;
  readonly warnings: readonly string[];
  readonly completion: CompletionVerdict | null;
  readonly transition: PhaseVerdict | null;
}

export type AcceptanceFailure =
  | { readonly ok: false; readonly because: 'validation'; readonly validation: Invalid }
  | { readonly ok: false; readonly because: 'refusal'; readonly refusal: Refused };

export function acceptTurn(given: AcceptInput): TurnAccepted | AcceptanceFailure {
  const { state, config, books, turnId, now, observed = null } = given;
  const untimely = refusedTurn(given);
  if (untimely !== null) return refused(untimely);
  const validation = validateTurnResult({
    state,
    config,
    turnId,
    result: given.result,
    takenIds: usedIds(books),
    hasEarlierWork: state.phase !== null && books.workedPhases.has(state.phase),
  });
  if (!validation.ok) return { ok: false, because: 'validation', validation };
  const { result, turn, normalisations } = validation;
  const seen = compareObserved(result, turn, config, observed);
  const clash = given.resolution === 'human_merge' ? null : conflictOf(result, turn);
  const refusal = refusedDecisions(validation, given) ?? seen.refusal ?? clash;
  if (refusal !== null) return refused(refusal);
  const accepted: Accepted = { state, config, turn, result, normalisations, observed, now };
  const history = historyEntry(accepted);
  const repoDecisions = repoRecords(accepted);
  return {
    ok: true,
    ...settle(accepted, history, repoDecisions, given),
    history,
    ledger: ledgerEntries(accepted),
    repoDecisions,
    validation,
    warnings: [...validation.warnings, ...seen.warnings],
  };
}

/** Refuses an already accepted turn first, before any other refusal. */
function refusedTurn({ state, books, turnId }: AcceptInput): Refused | null {
  if (books.acceptedTurns.has(turnId)) {
    const detail = `turn ${turnId} was accepted before`;
    return refuse('turn_already_accepted', 'turn_already_accepted', detail, { turn_id: turnId });
  }
  if (findActiveTurn(state, turnId) === null) return turnNotActive(turnId);
  if (state.status === 'active') return null;
  const detail = `a turn is accepted in an active run; this one is ${state.status}`;
  return refuse('invalid_state_transition', 'wrong_status', detail);
}

function refusedDecisions({ result, turn }: Valid, { config, books, state }: AcceptInput): Refused | null {
  const carried = new Set(state.repo_decisions.map(({ id }) => id));
  for (const decision of result.decisions) {
    const { id, durability } = decision;
    const taken = durability === 'repo' && carried.has(id) ? new Set([id]) : books.decisionIds;
    const found = checkDecision(decision, taken);
    // The schema stage already reports every other fault.
    if (found !== null) return refuse('duplicate_decision_id', found.error_type, found.detail, { duplicate_id: id });
  }
  return checkOverrides(result.decisions, turn.assigned_role, config, books.targets);
}

function refused(refusal: Refused): AcceptanceFailure {
  return { ok: false, because: 'refusal', refusal };
}

interface ObservedChanges {
  readonly refusal: Refused | null;
  readonly warnings: readonly string[];
}

function compareObserved(
  result: TurnResult,
  turn: Turn,
  config: GovernedConfig,
  seen: readonly string[] | null,
): ObservedChanges {
  if (seen === null) return { refusal: null, warnings: [] };
  const declared = declaredFiles(result);
  const changed = canonicalAll(seen).filter((path) => !isReserved(path));
  const authority = authorityOf(config, turn.assigned_role);
  const touched = changed.filter(isProductPath);
  if (authority === 'review_only' && touched.length > 0) return mismatch('reviewer_changed_product', touched);
  const hidden = changed.filter((path) => !declared.has(path));
  if (authority === 'authoritative' && hidden.length > 0) return mismatch('undeclared_change', hidden);
  const phantom = canonicalAll(result.files_changed).filter((path) => !changed.includes(path));
  return { refusal: null, warnings: phantom.map((path) => `files_changed: ${path} was not seen to change`) };
}

/** Refuses if another turn changed the same file while this turn was active. */
function conflictOf(result: TurnResult, { turn_id, overtaken_by = [] }: Turn): Refused | null {
  const own = declaredFiles(result);
  const clashes = overtaken_by.flatMap(({ turn_id: by, files }) =>
    files.filter((path) => own.has(path)).map((path) => ({ path, turn_id: by })),
  );
  if (clashes.length === 0) return null;
  const paths = [...new Set(clashes.map(({ path }) => path))];
  const detail = `${turn_id}: others have changed ${paths.join(', ')} meanwhile`;
  return refuse('conflict', 'file_conflict', detail, { clashes });
}

function declaredFiles({ files_changed, artifacts_created, verification }: TurnResult): ReadonlySet<string> {
  const produced = (verification.produced_files ?? []).map(({ path }) => path);
  return new Set(canonicalAll([...files_changed, ...(artifacts_created ?? []), ...produced]));
}

function mismatch(code: string, paths: readonly string[]): ObservedChanges {
  const detail = `${code}: ${paths.join(', ')}`;
  return { refusal: refuse('artifact_mismatch', code, detail, { paths }), warnings: [] };
}
