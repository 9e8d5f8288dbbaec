/** A claim becomes part of the run: all of it at once, once, or nothing. */

import type { GovernedConfig } from '../config/config.ts';
import type { EventDraft } from '../../events/draft.ts';
import type { CompletionVerdict, PhaseVerdict, ReadFiles } from '../../gates/verdict.ts';
import { refusedDecision } from '../../ledger/append.ts';
import { type RepoDecisionRecord, refusedOverrides } from './decisions.ts';
import { type Refused, refuse } from '../../refusal.ts';
import type { RunState } from '../../run/state.ts';
import { type Invalid, type Valid, validateTurnResult } from '../turn-result/validate.ts';
import { notOut, turnOut } from '../turns/active.ts';
import { type Books, takenIds } from './acceptance-index.ts';
import {
  type Accepted,
  type HistoryEntry,
  historyEntry,
  type LedgerEntry,
  ledgerEntries,
  repoRecords,
} from './entries.ts';
import { compareObserved, conflictOf } from '../../acceptance/observed.ts';
import { settle } from './settle.ts';

export interface ToAccept {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly books: Books;
  readonly turnId: string;
  /** As it was handed in. */
  readonly result: unknown;
  readonly files: ReadFiles;
  /** What was seen to change; null or absent = nobody looked. */
  readonly observed?: readonly string[] | null;
  /** `human_merge`: a person has merged what clashed. */
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

export type NotAccepted =
  | { readonly ok: false; readonly because: 'validation'; readonly validation: Invalid }
  | { readonly ok: false; readonly because: 'refusal'; readonly refusal: Refused };

export function acceptTurn(given: ToAccept): TurnAccepted | NotAccepted {
  const { state, config, books, turnId, now, observed = null } = given;
  const untimely = refusedTurn(given);
  if (untimely !== null) return refused(untimely);
  const validation = validateTurnResult({
    state,
    config,
    turnId,
    result: given.result,
    takenIds: takenIds(books),
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

/** What was accepted before is never accepted again, whatever else is wrong with it. */
function refusedTurn({ state, books, turnId }: ToAccept): Refused | null {
  if (books.acceptedTurns.has(turnId)) {
    return refuse('turn_already_accepted', 'turn_already_accepted', `turn ${turnId} was accepted before`, {
      turn_id: turnId,
    });
  }
  if (turnOut(state, turnId) === null) return notOut(turnId);
  if (state.status === 'active') return null;
  return refuse(
    'invalid_state_transition',
    'wrong_status',
    `a turn is accepted in an active run; this one is ${state.status}`,
  );
}

function refusedDecisions({ result, turn }: Valid, { config, books, state }: ToAccept): Refused | null {
  const carried = new Set(state.repo_decisions.map(({ id }) => id));
  for (const decision of result.decisions) {
    const { id, durability } = decision;
    const taken = durability === 'repo' && carried.has(id) ? new Set([id]) : books.decisionIds;
    const found = refusedDecision(decision, taken);
    // What is wrong otherwise, the schema has found before.
    if (found !== null) return refuse('duplicate_decision_id', found.error_type, found.detail, { duplicate_id: id });
  }
  return refusedOverrides(result.decisions, turn.assigned_role, config, books.targets);
}

function refused(refusal: Refused): NotAccepted {
  return { ok: false, because: 'refusal', refusal };
}
