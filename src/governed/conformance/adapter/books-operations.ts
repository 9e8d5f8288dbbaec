/** Implements conformance operations on turn results, history and the decision ledger. */

import { engine, type Invalid } from 'parley-hub/governed';
import type { Members } from '../fixture.ts';
import { NOW, type Operations, textOf, type World } from './inflate.ts';

const { acceptTurn, buildAcceptanceIndex, decisionIds, digestOf, checkDecision, validateTurnResult } = engine;

export const BOOKS_OPERATIONS: Operations = {
  validate_turn_result: validateResult,
  accept_turn: accept,
  append_decision: appendDecision,
};

function validateResult({ state, config, turnResult, history, ledger }: World): Members {
  const books = buildAcceptanceIndex(state, history, ledger);
  const validation = validateTurnResult({
    state,
    config,
    result: turnResult,
    takenIds: new Set([...books.decisionIds, ...books.targets.keys()]),
    hasEarlierWork: state.phase !== null && books.workedPhases.has(state.phase),
  });
  if (!validation.ok) return invalidAnswer(validation);
  const { stages_passed, warnings, normalisations } = validation;
  return { result: 'success', stages_passed, errors: [], warnings, normalisations };
}

function invalidAnswer({ ok: _, fault, ...validation }: Invalid): Members {
  const { detail: error_detail, error_field, error_path, error_alias } = fault;
  return { result: 'error', ...validation, error_alias, error_field, error_path, error_detail };
}

function accept(world: World, { turn_id }: Members): Members {
  const { state, config, history, ledger, files, turnResult } = world;
  const digest = digestOf(state);
  const books = buildAcceptanceIndex(state, history, ledger);
  const outcome = acceptTurn({ state, config, books, turnId: textOf(turn_id), result: turnResult, files, now: NOW });
  const after = outcome.ok ? outcome.state : state;
  const entries = outcome.ok ? [...history, outcome.history] : history;
  const decisions = outcome.ok ? [...ledger, ...outcome.ledger] : ledger;
  const seen = {
    state: after,
    state_unchanged: digestOf(after) === digest,
    history_length: entries.length,
    history_last_entry: entries.at(-1) ?? null,
    ledger_length: decisions.length,
    ledger_last_entry: decisions.at(-1) ?? null,
  };
  if (outcome.ok) return { result: 'success', ...seen, events: outcome.events, warnings: outcome.warnings };
  if (outcome.because === 'validation') return { ...invalidAnswer(outcome.validation), ...seen };
  const { error_type, error_code, detail, params } = outcome.refusal;
  return { result: 'error', ...params, error_type, error_code, error_detail: detail, ...seen };
}

function appendDecision({ state, ledger }: World, { entry }: Members): Members {
  const refused = checkDecision(entry, decisionIds(ledger, state.run_id));
  const after = refused === null ? [...ledger, entry] : ledger;
  const seen = { ledger_length: after.length, ledger_last_entry: after.at(-1) ?? null };
  if (refused === null) return { result: 'success', ...seen };
  const { detail, ...rest } = refused;
  return { result: 'error', ...rest, error_detail: detail, ...seen };
}
