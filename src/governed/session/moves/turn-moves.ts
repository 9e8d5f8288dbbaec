/**
 * Implements moves of a turn: assigned, dispatched, claimed, accepted, rejected.
 * Acceptance judges the result again by the five stages and the gates, with the evidence of the runner.
 */

import type { Json } from '../../../core/lib/json.ts';
import { participantOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import { type AcceptanceFailure, acceptTurn } from '../../engine/acceptance/accept.ts';
import { digestOf, sameJson } from '../../engine/lib/digest.ts';
import { getOwn, type UnknownRecord, without } from '../../engine/lib/unknown-record.ts';
import type { Turn } from '../../engine/state/state.ts';
import type { Valid } from '../../engine/turn-result/validate.ts';
import { findActiveTurn, turnNotActive } from '../../engine/turns/active.ts';
import { assignTurn } from '../../engine/turns/assign.ts';
import { progressTurn, rebaseTurn, reissueTurn, rejectTurn, type TurnStep } from '../../engine/turns/lifecycle.ts';
import { addToIndex, toAcceptanceIndex } from '../state/history-index.ts';
import { holderOf } from '../state/rules.ts';
import {
  anyText,
  anything,
  json,
  listOf,
  object,
  oneOf,
  or,
  orNull,
  type Reader,
  text,
  whole,
} from '../state/shape.ts';
import { type Evidence, evidence, filesIn, gitEvidence, hookEvidence, requireHooks } from './evidence.ts';
import {
  type MoveInput,
  type Outcome,
  outcome,
  refusalError,
  sessionError,
  withEngineResult,
  withRun,
} from './move.ts';

const assignment = object({
  turn_id: text,
  role: text,
  git: orNull(gitEvidence),
  baseline: orNull(anything),
  hooks: hookEvidence,
});

export function assigned(ask: MoveInput): Outcome {
  const { turn_id, role, git, baseline, hooks } = assignment(ask.data, '');
  const { state, rules, now } = ask;
  requireHooks(hooks);
  const isClean = git?.is_clean ?? null;
  const acceptedTurns = new Set(state.books.turns);
  const seen = { git: isClean === null ? null : { isClean }, baseline };
  const given = { roleId: role, turnId: turn_id, now, ...seen, acceptedTurns };
  return withEngineResult(ask, assignTurn(state.run, rules.config, given));
}

const dispatch = object({ turn_id: text, hooks: hookEvidence });

export function dispatched(ask: MoveInput): Outcome {
  const { turn_id, hooks } = dispatch(ask.data, '');
  requireHooks(hooks);
  return stepped(ask, turn_id, 'dispatched');
}

const STEPS: readonly Exclude<TurnStep, 'dispatched'>[] = ['starting', 'running', 'stalled', 'failed_start'];

const step = object({ turn_id: text, step: oneOf(STEPS) });

export function progressed(ask: MoveInput): Outcome {
  const read = step(ask.data, '');
  return stepped(ask, read.turn_id, read.step);
}

function stepped(ask: MoveInput, turnId: string, to: TurnStep): Outcome {
  return withEngineResult(ask, progressTurn(ask.state.run, { turnId, step: to, now: ask.now }));
}

const claim = object({
  turn_id: text,
  attempt: or(whole, 1),
  result: json,
});

/** Records the result of the holder; does not change the run. */
export function claimed({ state, data, seq }: MoveInput): Outcome {
  const { turn_id, attempt, result } = claim(data, '');
  const turn = findActiveTurn(state.run, turn_id);
  if (turn === null) throw refusalError(turnNotActive(turn_id));
  if (turn.attempt !== attempt) {
    throw sessionError('wrong_attempt', `turn ${turn_id} is at attempt ${turn.attempt}, not ${attempt}`, { turn_id });
  }
  if (getOwn(state.claims, turn_id) !== undefined) {
    const detail = `the result of turn ${turn_id} (attempt ${attempt}) was already submitted`;
    throw sessionError('already_claimed', detail, { turn_id });
  }
  return outcome({ ...state, claims: { ...state.claims, [turn_id]: { attempt, seq, digest: digestOf(result) } } });
}

const rejection = object({
  turn_id: text,
  reason: text,
  stage: orNull(text),
  errors: or(listOf(anyText), []),
  baseline: orNull(anything),
});

export function rejected(ask: MoveInput): Outcome {
  const { turn_id, ...given } = rejection(ask.data, '');
  const { state, rules, now } = ask;
  const changed = rejectTurn(state.run, rules.config, { turnId: turn_id, now, ...given });
  return withEngineResult(ask, changed, { claims: without(state.claims, turn_id) });
}

const reissue = object({
  turn_id: text,
  reason: text,
  baseline: orNull(anything),
});

export function reissued(ask: MoveInput): Outcome {
  const { turn_id: turnId, reason, baseline } = reissue(ask.data, '');
  const { state, rules, now } = ask;
  const changed = reissueTurn(state.run, rules.config, { turnId, reason, now, baseline });
  return withEngineResult(ask, changed, { claims: without(state.claims, turnId) });
}

const rebase = object({ turn_id: text, baseline: anything });

export function rebased(ask: MoveInput): Outcome {
  const { turn_id: turnId, baseline } = rebase(ask.data, '');
  return withEngineResult(ask, rebaseTurn(ask.state.run, { turnId, baseline }));
}

export interface AcceptedData {
  readonly turn_id: string;
  readonly raw: Json;
  /** Normalised form of `raw`. */
  readonly result: UnknownRecord;
  readonly normalisations: readonly UnknownRecord[];
  readonly evidence: Evidence;
  readonly resolution: 'standard' | 'human_merge';
  /** Seq of the newest envelope that the runner knew. */
  readonly seen_seq: number;
}

const acceptedData: Reader<AcceptedData> = object<AcceptedData>({
  turn_id: text,
  raw: json,
  result: anything,
  normalisations: listOf(anything),
  evidence,
  resolution: or(oneOf(['standard', 'human_merge']), 'standard' as const),
  seen_seq: whole,
});

export function accepted(ask: MoveInput): Outcome {
  const data = acceptedData(ask.data, '');
  const { state, rules, now } = ask;
  const turn = findActiveTurn(state.run, data.turn_id);
  if (turn !== null && ask.metadata !== null) requireFresh(ask, ask.metadata, data, turn);
  requireHooks(data.evidence.hooks);
  const taken = acceptTurn({
    state: state.run,
    config: rules.config,
    books: toAcceptanceIndex(state.books, state.run),
    turnId: data.turn_id,
    result: data.raw,
    files: filesIn(data.evidence),
    observed: data.evidence.git?.changed ?? null,
    resolution: data.resolution,
    now,
  });
  if (!taken.ok) throw notTaken(taken, data.turn_id);
  requireSame(data, taken.validation);
  const { history, ledger, repoDecisions, events } = taken;
  const entries = ledger.map((entry) => ({ ...entry }));
  const books = addToIndex(state.books, state.run, [{ ...history }], entries);
  const claims = without(state.claims, data.turn_id);
  return outcome(withRun(state, taken.state, { books, claims }), {
    events,
    history: [history],
    ledger,
    repoDecisions,
  });
}

/** The evidence must be current, and the result must be the one the holder submitted. */
function requireFresh({ state, rules }: MoveInput, metadata: SessionMetadata, data: AcceptedData, turn: Turn): void {
  const { turn_id, raw, seen_seq } = data;
  if (seen_seq < state.last_seq) {
    const detail = `the run has changed at seq ${state.last_seq}, after seq ${seen_seq}: look again`;
    throw sessionError('stale_evidence', detail, { seen_seq, last_seq: state.last_seq });
  }
  const claim = getOwn(state.claims, turn_id);
  if (claim === undefined) {
    const holder = holderOf(rules, turn.assigned_role);
    const status = participantOf(metadata, holder)?.status;
    if (holder === rules.runner || (status !== 'active' && status !== 'hidden')) return;
    const detail = `the holder of ${turn.assigned_role} has not submitted a result for turn ${turn_id}`;
    throw sessionError('no_claim', detail, { turn_id, holder });
  }
  if (claim.digest === digestOf(raw)) return;
  throw sessionError('claim_mismatch', `raw: expected the result that was submitted at seq ${claim.seq}`, { turn_id });
}

/** The engine must reach the same normalised result as the runner. */
function requireSame({ turn_id, result, normalisations }: AcceptedData, found: Valid): void {
  if (sameJson(result, found.result) && sameJson(normalisations, found.normalisations)) return;
  const detail = `turn ${turn_id}: result and normalisations are not what its raw result comes to; look again`;
  throw sessionError('normalisation_mismatch', detail, { turn_id });
}

function notTaken(failure: AcceptanceFailure, turnId: string): Error {
  if (failure.because === 'refusal') return refusalError(failure.refusal);
  const { failed_stage, error_type, fault, errors } = failure.validation;
  const detail = `turn ${turnId} does not pass the stage ${failed_stage}: ${fault.detail}`;
  const params = { failed_stage, validation_error: error_type, errors, turn_id: turnId };
  return sessionError('validation_failed', detail, params);
}
