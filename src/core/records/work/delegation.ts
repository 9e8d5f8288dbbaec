/** The records of delegation: the request, the reservation in the parent, and the result. */

import type { JsonObject } from '../../lib/json.ts';
import type { Duration, ParticipantRef } from '../session/create-params.ts';
import type { Spend } from '../session/spending.ts';

/** The label that links a child to its delegation; only the hub sets it. */
export const DELEGATION_LABEL = 'delegation';

/** Spending limits; null = no limit in that unit. */
export interface DelegationBudget {
  readonly usd: number | null;
  readonly tokens: number | null;
}

export interface DelegateParams {
  /** The parent session. */
  readonly session_id: string;
  readonly target: ParticipantRef;
  readonly prompt: string;
  readonly budget?: { readonly usd?: number | undefined; readonly tokens?: number | undefined } | undefined;
  /** Time limit for the target to answer the invite, and again to reply. */
  readonly timeout?: Duration | undefined;
  /** reply = answer when settled (default); opened = answer once the child is open. */
  readonly wait?: 'reply' | 'opened' | undefined;
  readonly idempotency_key?: string | undefined;
}

export const DELEGATION_OUTCOMES = {
  replied: 'The target answered.',
  rejected: 'The target declined the invite.',
  timed_out: 'The target did not answer the invite or the prompt in time.',
  left: 'The target left, was removed or was unregistered before it replied.',
  over_budget: 'The child spent more than its budget before the target replied.',
  refused: 'The child session could not be created, or the prompt was rejected.',
  closed: 'The child session ended for another reason; see the reason.',
  parent_closed: 'The parent session ended first.',
  delegator_removed: 'The delegator left the parent session.',
} as const;

export type DelegationOutcome = keyof typeof DELEGATION_OUTCOMES;

export interface DelegationReply {
  readonly text: string;
  readonly seq: number;
  readonly envelope_id: string;
  readonly sender_id: string;
  readonly usage: JsonObject | null;
  readonly cost_usd: number | null;
}

export interface DelegateAnswer {
  readonly delegation_id: string;
  /** null if the child was not created. */
  readonly child_session_id: string | null;
  /** open = not settled yet (only with wait: opened). */
  readonly outcome: DelegationOutcome | 'open';
  readonly reason: string | null;
  readonly reply: DelegationReply | null;
  /** null if unknown: the delegation is still open, or the parent ended first. */
  readonly spent: Spend | null;
  /** true if an earlier request with the same key began the delegation. */
  readonly duplicate?: true;
}

/** Data of `delegation.opened`: the reservation, logged before the child exists. */
export interface DelegationOpened {
  readonly delegation_id: string;
  readonly agent_id: string;
  readonly target_id: string;
  /** The root of the session tree, used to detect agents that would wait for themselves. */
  readonly root_session_id: string;
  readonly prompt: string;
  readonly budget: DelegationBudget | null;
  /** In seconds; null for the default of a consulting session. */
  readonly timeout: number | null;
  readonly key: string | null;
  /** Distinguishes a repeated request from a different one with the same key. */
  readonly request_digest: string;
}

/** Data of `delegation.settled`. */
export interface DelegationSettled {
  readonly delegation_id: string;
  /** The delegator. */
  readonly agent_id: string;
  readonly child_session_id: string | null;
  readonly outcome: DelegationOutcome;
  readonly reason: string;
  /** null if unknown; then the whole reservation counts as spent. */
  readonly spent: Spend | null;
}
