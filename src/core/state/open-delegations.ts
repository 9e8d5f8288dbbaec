/** The open delegations of a session, folded from its log, and the drafts that settle them. */

import type { JsonObject } from '../lib/json.ts';
import { type Draft, type Envelope, HUB_ID, hubDraft } from '../records/session/envelope.ts';
import type { DelegationBudget, DelegationOpened, DelegationSettled } from '../records/work/delegation.ts';

/** An unsettled delegation; its budget is reserved. */
export interface OpenDelegation {
  readonly delegation_id: string;
  readonly agent_id: string;
  readonly target_id: string;
  readonly root_session_id: string;
  readonly budget: DelegationBudget | null;
  /** The seq of its `delegation.opened`. */
  readonly seq: number;
}

/** Shared by all sessions without delegations. */
export const NO_DELEGATIONS: readonly OpenDelegation[] = Object.freeze([]);

export function foldDelegations(before: readonly OpenDelegation[], envelope: Envelope): readonly OpenDelegation[] {
  if (envelope.sender_id !== HUB_ID) return before;
  switch (envelope.event_type) {
    case 'delegation.opened': {
      const { delegation_id, agent_id, target_id, root_session_id, budget } = openedFrom(envelope);
      return [...before, { delegation_id, agent_id, target_id, root_session_id, budget, seq: envelope.seq }];
    }
    case 'delegation.settled': {
      const open = before.filter(({ delegation_id }) => delegation_id !== envelope.event_data.delegation_id);
      return open.length === 0 ? NO_DELEGATIONS : open;
    }
    default:
      return before;
  }
}

/** Reads data that the hub made, so it needs no schema check. */
export function openedFrom({ event_data }: Envelope): DelegationOpened {
  return event_data as unknown as DelegationOpened;
}

export function settledFrom({ event_data }: Envelope): DelegationSettled {
  return event_data as unknown as DelegationSettled;
}

/** The idempotency key of a settlement, with which the hub finds it again. */
export function settledKey(delegationId: string): string {
  return `settled ${delegationId}`;
}

/** Settles open delegations when the parent session ends; the children's spending is then unknown. */
export function settlementsAtEnd(
  sessionId: string,
  delegations: readonly OpenDelegation[],
  reason: string,
): readonly Draft[] {
  return delegations.map((open) =>
    settledDraft(sessionId, open, {
      delegation_id: open.delegation_id,
      agent_id: open.agent_id,
      child_session_id: null,
      outcome: 'parent_closed',
      reason,
      spent: null,
    }),
  );
}

/** Drafts the settlement, addressed to the delegator. */
export function settledDraft(sessionId: string, { agent_id }: OpenDelegation, settled: DelegationSettled): Draft {
  // DelegationSettled is JSON; its interface only lacks an index signature.
  const draft = hubDraft(sessionId, 'delegation.settled', settled as unknown as JsonObject, [agent_id]);
  return { ...draft, idempotency_key: settledKey(settled.delegation_id) };
}
