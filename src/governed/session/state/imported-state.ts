/** Reads the state of an imported run: checks every member and fills in defaults. */

import { ProtocolError } from '../../../core/lib/errors.ts';
import { repoDecisions } from '../../engine/acceptance/decisions.ts';
import { isMissing, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import {
  type BlockedReason,
  type DelegationContext,
  type DelegationReview,
  EMPTY_STATE,
  type Escalation,
  type GateFailure,
  type PendingCompletion,
  type PendingTransition,
  type QueuedDelegation,
  type QueuedRequest,
  type RunState,
  TURN_STATUSES,
  type Turn,
  type TurnRejection,
} from '../../engine/state/state.ts';
import {
  amount,
  anyText,
  anything,
  listOf,
  object,
  oneOf,
  or,
  orNull,
  type Reader,
  recordOf,
  text,
  time,
  whole,
} from './shape.ts';

const texts = or(listOf(text), []);

const context = {
  delegation_id: text,
  parent_turn_id: text,
  parent_role: text,
  charter: anyText,
  acceptance_contract: texts,
  required_decision_ids: texts,
};
const queued: Reader<QueuedDelegation> = object<QueuedDelegation>({
  ...context,
  to_role: text,
  status: oneOf(['pending', 'active', 'completed', 'failed']),
  child_turn_id: orNull(text),
  satisfied_decision_ids: texts,
  missing_decision_ids: texts,
});
const review: Reader<DelegationReview> = object<DelegationReview>({
  parent_turn_id: text,
  parent_role: text,
  results: listOf(queued),
});

const rejection = object<TurnRejection>({
  attempt: whole,
  stage: orNull(text),
  reason: anyText,
  errors: or(listOf(anyText), []),
  rejected_at: time,
});

const turnMembers = object<Omit<Turn, 'turn_id' | 'is_dispatched'>>({
  run_id: orNull(text),
  assigned_role: text,
  status: or(oneOf(TURN_STATUSES), 'running' as const),
  attempt: or(whole, 1),
  assigned_at: orNull(time),
  started_at: orNull(time),
  deadline_at: orNull(time),
  runtime_id: or(text, 'manual'),
  baseline: orNull(anything),
  assigned_sequence: or(whole, 1),
  concurrent_with: texts,
  delegation_context: orNull(object<DelegationContext>(context)),
  delegation_review: orNull(review),
  overtaken_by: or(listOf(object({ turn_id: text, files: texts })), []),
  conflict_state: orNull(anything),
  last_rejection: orNull(rejection),
});

/** Takes the turn id from the key. */
const turns: Reader<RunState['active_turns']> = (value, field) => {
  const read = Object.entries(recordOf(turnMembers)(value, field));
  return Object.fromEntries(
    read.map(([turn_id, turn]) => [turn_id, { ...turn, turn_id, is_dispatched: turn.status !== 'assigned' }]),
  );
};

const request = object<QueuedRequest>({
  to: orNull(text),
  requested_by_turn: text,
  verification_status: orNull(text),
});

/** Accepts a value without checking its members. */
function unread<T>(): Reader<T> {
  return anything as Reader<unknown> as Reader<T>;
}

const readState: Reader<RunState> = object<RunState>({
  schema_version: or(text, EMPTY_STATE.schema_version),
  run_id: orNull(text),
  project_id: orNull(text),
  status: or(oneOf(['idle', 'active', 'paused', 'blocked', 'completed']), EMPTY_STATE.status),
  phase: orNull(text),
  accepted_integration_ref: orNull(text),
  active_turns: or(turns, {}),
  turn_sequence: or(whole, 0),
  accepted_sequence: or(whole, 0),
  last_completed_turn_id: orNull(text),
  next_recommended_role: orNull(text),
  blocked_on: orNull(text),
  blocked_reason: orNull(unread<BlockedReason>()),
  escalation: orNull(unread<Escalation>()),
  pending_phase_transition: orNull(
    object<PendingTransition>({ gate: orNull(text), from: orNull(text), to: text, requested_by_turn: orNull(text) }),
  ),
  pending_run_completion: orNull(
    object<PendingCompletion>({
      gate: orNull(text),
      phase: orNull(text),
      requested_by_turn: orNull(text),
      requested_at: orNull(time),
    }),
  ),
  queued_phase_transition: orNull(request),
  queued_run_completion: orNull(request),
  last_gate_failure: orNull(unread<GateFailure>()),
  phase_gate_status: or(recordOf(oneOf(['pending', 'passed', 'failed'])), {}),
  budget_status: orNull(object({ spent_usd: amount, remaining_usd: orNull(amount) })),
  budget_reservations: or(recordOf(amount), {}),
  delegation_queue: or(listOf(queued), []),
  pending_delegation_review: orNull(review),
  created_at: orNull(time),
  phase_entered_at: orNull(time),
  completed_at: orNull(time),
  provenance: orNull(anything),
  inherited_context: orNull(anything),
  repo_decisions: or((value, field) => repoDecisions(listOf(anything)(value, field)), []),
});

/** Throws if the state is invalid or impossible. */
export const importedState: Reader<RunState> = (value, field) => {
  const state = readState(withoutHoles(value), field);
  const fault = faultOf(state);
  if (fault === null) return state;
  throw new ProtocolError(`${field}: ${fault}`, { field, error_type: 'invalid_state', error_code: 'invalid_state' });
};

/** Accepts `role` as an alias of `assigned_role`. */
function withoutHoles(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value.active_turns)) return value;
  const turnsOf = Object.entries(value.active_turns).map(([id, turn]) => [id, isRecord(turn) ? roleNamed(turn) : turn]);
  return { ...value, active_turns: Object.fromEntries(turnsOf) };
}

function roleNamed(turn: UnknownRecord): UnknownRecord {
  return isMissing(turn.assigned_role) ? { ...turn, assigned_role: turn.role } : turn;
}

function faultOf(state: RunState): string | null {
  const { status, pending_phase_transition: phase, pending_run_completion: completion } = state;
  if (status !== 'idle' && state.run_id === null) return `a run that is ${status} has a run_id`;
  if (status === 'idle' && Object.keys(state.active_turns).length > 0) return 'a run that is idle has no turns out';
  const waiting = [phase, completion].filter((one) => one !== null).length;
  if (status === 'paused' && waiting !== 1) return `a paused run waits for one gate, not for ${waiting}`;
  if (status !== 'paused' && waiting > 0) return `a run that is ${status} waits for no gate`;
  if (status === 'blocked' && state.blocked_on === null) return 'a blocked run is blocked_on something';
  return null;
}
