/** Manages delegations: work that one role assigns to others, and the results. */

import type { DelegationContext, DelegationReview, QueuedDelegation, Turn } from '../state/state.ts';
import type { TurnResult } from '../turn-result/result.ts';

type Queue = readonly QueuedDelegation[];

export function addDelegations(queue: Queue, turn: Turn, { delegations = [] }: TurnResult): Queue {
  const added = delegations.map(({ id, to_role, charter, acceptance_contract, required_decision_ids = [] }) => ({
    delegation_id: id,
    parent_turn_id: turn.turn_id,
    parent_role: turn.assigned_role,
    to_role,
    charter,
    acceptance_contract,
    required_decision_ids,
    status: 'pending' as const,
    child_turn_id: null,
    satisfied_decision_ids: [],
    missing_decision_ids: [],
  }));
  return [...queue, ...added];
}

/** Starts the role's oldest pending delegation. */
export function startDelegation(
  queue: Queue,
  role: string,
  turnId: string,
): { readonly queue: Queue; readonly started: QueuedDelegation } | null {
  const waiting = queue.find(({ status, to_role }) => status === 'pending' && to_role === role);
  if (waiting === undefined) return null;
  const started: QueuedDelegation = { ...waiting, status: 'active', child_turn_id: turnId };
  return { queue: queue.map((one) => (one === waiting ? started : one)), started };
}

export function contextFor(delegation: QueuedDelegation): DelegationContext {
  const { delegation_id, parent_turn_id, parent_role, charter, acceptance_contract, required_decision_ids } =
    delegation;
  return { delegation_id, parent_turn_id, parent_role, charter, acceptance_contract, required_decision_ids };
}

/** Settles the delegation of an accepted child turn and records missing decisions. */
export function finishDelegation(queue: Queue, turn: Turn, result: TurnResult): Queue {
  const decided = new Set(result.decisions.map(({ id }) => id));
  return queue.map((one) => {
    if (one.child_turn_id !== turn.turn_id || one.status !== 'active') return one;
    const { required_decision_ids: required } = one;
    return {
      ...one,
      status: result.status === 'completed' ? 'completed' : 'failed',
      satisfied_decision_ids: required.filter((id) => decided.has(id)),
      missing_decision_ids: required.filter((id) => !decided.has(id)),
    };
  });
}

/** Starts a review by the parent role once all delegations of a turn are done; one review at a time. */
export function nextReview(
  queue: Queue,
  pending: DelegationReview | null,
): { readonly queue: Queue; readonly review: DelegationReview | null } {
  if (pending !== null) return { queue, review: pending };
  const isDone = ({ status }: QueuedDelegation): boolean => status === 'completed' || status === 'failed';
  const of = (parent: string): Queue => queue.filter(({ parent_turn_id }) => parent_turn_id === parent);
  const ready = queue.find(({ parent_turn_id }) => of(parent_turn_id).every(isDone));
  if (ready === undefined) return { queue, review: null };
  const { parent_turn_id, parent_role } = ready;
  return {
    queue: queue.filter((one) => one.parent_turn_id !== parent_turn_id),
    review: { parent_turn_id, parent_role, results: of(parent_turn_id) },
  };
}
