/** A result becomes part of the run: judged again by the five stages and the gates, over what the runner saw. */

import type { Json } from '../../../core/lib/json.ts';
import { participantOf, type SessionMetadata } from '../../../core/records/session/session.ts';
import { acceptTurn, type NotAccepted } from '../../engine/acceptance/accept.ts';
import { digestOf, sameJson } from '../../engine/lib/digest.ts';
import { own, type Unknowns, without } from '../../engine/lib/unknown-record.ts';
import type { Turn } from '../../run/state.ts';
import type { Valid } from '../../engine/turn-result/validate.ts';
import { turnOut } from '../../engine/turns/active.ts';
import { booksIn, indexed } from '../state/history-index.ts';
import { type Evidence, evidence, filesIn, requireHooks } from './evidence.ts';
import { type Ask, no, type Outcome, onRun, outcome, refusalError } from './move.ts';
import { holderOf } from '../state/rules.ts';
import { anything, json, listOf, object, oneOf, or, type Reader, text, whole } from '../state/shape.ts';

export interface AcceptedData {
  readonly turn_id: string;
  /** As it was handed in. */
  readonly raw: Json;
  /** As it is judged. */
  readonly result: Unknowns;
  readonly normalisations: readonly Unknowns[];
  readonly evidence: Evidence;
  readonly resolution: 'standard' | 'human_merge';
  /** The newest envelope the runner knew of when it looked. */
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

export function accepted(ask: Ask): Outcome {
  const data = acceptedData(ask.data, '');
  const { state, rules, now } = ask;
  const turn = turnOut(state.run, data.turn_id);
  if (turn !== null && ask.metadata !== null) requireFresh(ask, ask.metadata, data, turn);
  requireHooks(data.evidence.hooks);
  const taken = acceptTurn({
    state: state.run,
    config: rules.config,
    books: booksIn(state.books, state.run),
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
  const books = indexed(state.books, state.run, [{ ...history }], ledger.map(plain));
  const claims = without(state.claims, data.turn_id);
  return outcome(onRun(state, taken.state, { books, claims }), {
    events,
    history: [history],
    ledger,
    repoDecisions,
  });
}

/** What the runner saw is of now, and what it accepts is what the holder of the role has said. */
function requireFresh({ state, rules }: Ask, metadata: SessionMetadata, data: AcceptedData, turn: Turn): void {
  const { turn_id, raw, seen_seq } = data;
  if (seen_seq < state.last_seq) {
    const detail = `the run has changed at seq ${state.last_seq}, after seq ${seen_seq}: look again`;
    throw no('stale_evidence', detail, { seen_seq, last_seq: state.last_seq });
  }
  const claim = own(state.claims, turn_id);
  if (claim === undefined) {
    const holder = holderOf(rules, turn.assigned_role);
    const status = participantOf(metadata, holder)?.status;
    if (holder === rules.runner || (status !== 'active' && status !== 'hidden')) return;
    throw no('no_claim', `the holder of ${turn.assigned_role} has not handed in turn ${turn_id}`, { turn_id, holder });
  }
  if (claim.digest === digestOf(raw)) return;
  throw no('claim_mismatch', `raw: expected the result that was handed in at seq ${claim.seq}`, { turn_id });
}

/** What the runner says it came to, the engine has to find as well. */
function requireSame({ turn_id, result, normalisations }: AcceptedData, found: Valid): void {
  if (sameJson(result, found.result) && sameJson(normalisations, found.normalisations)) return;
  const detail = `turn ${turn_id}: result and normalisations are not what its raw result comes to; look again`;
  throw no('normalisation_mismatch', detail, { turn_id });
}

function notTaken(failure: NotAccepted, turnId: string): Error {
  if (failure.because === 'refusal') return refusalError(failure.refusal);
  const { failed_stage, error_type, fault, errors } = failure.validation;
  const detail = `turn ${turnId} does not pass the stage ${failed_stage}: ${fault.detail}`;
  return no('validation_failed', detail, { failed_stage, validation_error: error_type, errors, turn_id: turnId });
}

function plain(entry: object): Unknowns {
  return { ...entry };
}
