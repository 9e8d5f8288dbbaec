/** What came of a delegation, read from the log of its child. Pure. */

import type { DelegationOutcome, DelegationReply } from './records/work/delegation.ts';
import { type Envelope, HUB_ID } from './records/session/envelope.ts';
import type { JsonObject } from './lib/json.ts';
import { participantOf, type SessionMetadata } from './records/session/session.ts';

/** What the hub closes a child with when its question cannot be put; the reason follows. */
export const PROMPT_REFUSED = 'prompt_refused';
export const DELEGATOR_REMOVED = 'delegator_removed';

/** What the hub itself closes a child with. Whoever else closes it may give any of these as its reason. */
const BY_REASON: ReadonlyMap<string, DelegationOutcome> = new Map<string, DelegationOutcome>([
  ['invite_rejected', 'rejected'],
  ['invite_timeout', 'timed_out'],
  ['expectation_violated:acks_within', 'timed_out'],
  ['expectation_violated:reply_within', 'timed_out'],
  ['ttl_expired', 'timed_out'],
  ['expectation_violated:budget_within', 'over_budget'],
  ['parent_closed', 'parent_closed'],
  [DELEGATOR_REMOVED, 'delegator_removed'],
]);

/** The target took too long, or said that it cannot. */
const TURN_LOST = 'expectation_violated:turn_within';

/** What is known of how a child ended, beside its state. */
export interface ChildEnd {
  readonly reply: DelegationReply | null;
  /** Why the target is out; null = it is not, or nobody said. */
  readonly gone: string | null;
  /** Why the target says that it cannot answer; null = it has not said so. */
  readonly failed: string | null;
  /** Who asked for the end; null = the hub itself. */
  readonly closed_by: string | null;
  /** Who delegated is no longer in the parent, or no longer registered. */
  readonly delegator_gone: boolean;
  /** The target is no longer registered. */
  readonly target_gone: boolean;
}

/** Of a child that is closing or has ended. A reply is a reply, also if it cost too much. */
export function outcomeOf(
  metadata: SessionMetadata,
  targetId: string,
  { reply, gone, failed, closed_by, delegator_gone, target_gone }: ChildEnd,
): { readonly outcome: DelegationOutcome; readonly reason: string } {
  const reason = metadata.close_reason ?? metadata.state;
  if (reply !== null) return { outcome: 'replied', reason };
  if (closed_by !== null) return { outcome: 'closed', reason };
  if (reason === TURN_LOST)
    return failed === null ? { outcome: 'timed_out', reason } : { outcome: 'closed', reason: failed };
  const known = BY_REASON.get(reason);
  // An invitee who unregisters is taken to have declined.
  if (known === 'rejected') return { outcome: target_gone ? 'left' : known, reason: gone ?? reason };
  if (known !== undefined) return { outcome: known, reason };
  if (reason.startsWith(PROMPT_REFUSED)) return { outcome: 'refused', reason };
  const isGone = participantOf(metadata, targetId)?.status === 'removed';
  if (isGone) return { outcome: 'left', reason: gone ?? reason };
  return delegator_gone ? { outcome: 'delegator_removed', reason: DELEGATOR_REMOVED } : { outcome: 'closed', reason };
}

/** Who asked for the end this begins, null = the hub itself; undefined = it begins none. */
export function closerIn({ event_type, sender_id, event_data }: Envelope): string | null | undefined {
  if (sender_id !== HUB_ID || !ENDS.has(event_type)) return undefined;
  return typeof event_data.by === 'string' ? event_data.by : null;
}

const ENDS: ReadonlySet<string> = new Set(['session.closing', 'session.closed', 'session.expired']);

/** The reply, if this is it. */
export function replyIn(envelope: Envelope, targetId: string): DelegationReply | null {
  const { event_type, sender_id, seq, envelope_id, event_data } = envelope;
  if (event_type !== 'msg.text' || sender_id !== targetId || typeof event_data.text !== 'string') return null;
  const { text, usage, cost_usd } = event_data;
  return {
    text,
    seq,
    envelope_id,
    sender_id,
    // Looked at when it was posted.
    usage: (usage as JsonObject | undefined) ?? null,
    cost_usd: typeof cost_usd === 'number' ? cost_usd : null,
  };
}

/** Why the target cannot answer, in its own words; null = this does not say it. */
export function failedIn({ event_type, sender_id, task_id, event_data }: Envelope, targetId: string): string | null {
  const says = event_type === 'task.failed' && sender_id === targetId && task_id === null;
  return says && typeof event_data.reason === 'string' ? event_data.reason : null;
}

/** Why the target is out, in its own words or the hub's; null = this does not say it. */
export function goneIn({ event_type, sender_id, event_data }: Envelope, targetId: string): string | null {
  if (sender_id !== HUB_ID || event_data.agent_id !== targetId) return null;
  const says = event_type === 'session.invite.reject' || event_type === 'session.participant.removed';
  return says ? String(event_data.reason) : null;
}
