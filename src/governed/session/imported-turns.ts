/** Turns and work that was handed on, as they come from elsewhere. */

import type { DelegationContext, DelegationReview, QueuedDelegation } from '../run/open-items.ts';
import type { RunState } from '../run/state.ts';
import { TURN_STATUSES, type Turn, type TurnRejection } from '../run/turn.ts';
import {
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
} from './state/shape.ts';

const texts = or(listOf(text), []);

const context = {
  delegation_id: text,
  parent_turn_id: text,
  parent_role: text,
  charter: anyText,
  acceptance_contract: texts,
  required_decision_ids: texts,
};
export const queued: Reader<QueuedDelegation> = object<QueuedDelegation>({
  ...context,
  to_role: text,
  status: oneOf(['pending', 'active', 'completed', 'failed']),
  child_turn_id: orNull(text),
  satisfied_decision_ids: texts,
  missing_decision_ids: texts,
});
export const review: Reader<DelegationReview> = object<DelegationReview>({
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
  overtaken_by: or(listOf(object<{ turn_id: string; files: readonly string[] }>({ turn_id: text, files: texts })), []),
  conflict_state: orNull(anything),
  last_rejection: orNull(rejection),
});

/** A turn is called by its key. */
export const turns: Reader<RunState['active_turns']> = (value, field) => {
  const read = recordOf<Omit<Turn, 'turn_id' | 'is_dispatched'>>((turn, at) => turnMembers(turn, at))(value, field);
  const named = Object.entries(read).map(([turn_id, turn]) => {
    const is_dispatched = turn.status !== 'assigned';
    return [turn_id, { ...turn, turn_id, is_dispatched }] as const;
  });
  return Object.fromEntries(named);
};
