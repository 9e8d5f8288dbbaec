/** The records of delegation: what is asked, what is set aside for it in the parent, and what came of it. */

import type { JsonObject } from '../../lib/json.ts';
import type { Duration, ParticipantRef } from '../session/create-params.ts';
import type { Spend } from '../session/spending.ts';

/** The label by which a child knows its delegation; only the hub gives it. */
export const DELEGATION_LABEL = 'delegation';

/** How much a delegation may spend; null = in this respect nothing was said. */
export interface DelegationBudget {
  readonly usd: number | null;
  readonly tokens: number | null;
}

export interface DelegateParams {
  /** The parent: the session the work is for. */
  readonly session_id: string;
  readonly target: ParticipantRef;
  readonly prompt: string;
  readonly budget?: { readonly usd?: number | undefined; readonly tokens?: number | undefined } | undefined;
  /** How long the target may take to answer the invite, and then to reply. */
  readonly timeout?: Duration | undefined;
  /** reply = when it is settled (default); opened = as soon as it is under way. */
  readonly wait?: 'reply' | 'opened' | undefined;
  readonly idempotency_key?: string | undefined;
}

/** How a delegation ended. */
export const DELEGATION_OUTCOMES = {
  replied: 'The target answered.',
  rejected: 'The target declined the invite.',
  timed_out: 'The target did not answer the invite, or the question, in time.',
  left: 'The target left, was removed or was unregistered before it answered.',
  over_budget: 'More was spent than the budget allows before there was an answer.',
  refused: 'The child session could not be opened, or the question could not be put.',
  closed: 'The child session ended in another way; the reason says how.',
  parent_closed: 'The session the work was for ended first.',
  delegator_removed: 'Who delegated is no longer in the session the work was for.',
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
  /** null = it could not be opened, or is not yet. */
  readonly child_session_id: string | null;
  /** open = it is under way (only with wait: opened). */
  readonly outcome: DelegationOutcome | 'open';
  readonly reason: string | null;
  readonly reply: DelegationReply | null;
  /** null = not known: it is under way, or the parent ended first. */
  readonly spent: Spend | null;
  /** The delegation was begun by an earlier request under the same key. */
  readonly duplicate?: true;
}

/** What `delegation.opened` says: the reservation, in the log before there is a child. */
export interface DelegationOpened {
  readonly delegation_id: string;
  readonly agent_id: string;
  readonly target_id: string;
  /** The session at the top of the tree: nobody in one tree may wait for itself. */
  readonly root_session_id: string;
  readonly prompt: string;
  readonly budget: DelegationBudget | null;
  /** In seconds; null = as long as a consulting session waits by itself. */
  readonly timeout: number | null;
  readonly key: string | null;
  /** What was asked, so that a repeated key can be told from another request. */
  readonly request_digest: string;
}

/** What `delegation.settled` says. */
export interface DelegationSettled {
  readonly delegation_id: string;
  /** Who delegated. */
  readonly agent_id: string;
  readonly child_session_id: string | null;
  readonly outcome: DelegationOutcome;
  readonly reason: string;
  /** null = not known; then what was set aside counts as spent. */
  readonly spent: Spend | null;
}
