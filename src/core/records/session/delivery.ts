/** Decides which envelopes reach which agent; the same rules for live delivery, replay and log reads. */

import { msFromIso } from '../../lib/time.ts';
import { type Envelope, isContent } from './envelope.ts';
import type { Head } from './unit.ts';

/** The last seq of the agent's membership: infinite for a member, 0 if it never joined. */
export function membershipEnd(head: Head, agentId: string): number {
  const status = head.members[agentId];
  if (status === 'active' || status === 'hidden') return Number.POSITIVE_INFINITY;
  return status === 'removed' ? (head.left[agentId] ?? 0) : 0;
}

/** Whether an envelope belongs to the agent's stream. Invites are delivered outside the stream. */
export function isAddressedTo(envelope: Envelope, agentId: string): boolean {
  if (envelope.event_type === 'session.invite') return false;
  return envelope.audience === null || envelope.audience.includes(agentId);
}

export function isDeliverable(envelope: Envelope, agentId: string, end: number): boolean {
  return envelope.seq <= end && envelope.sender_id !== agentId && isAddressedTo(envelope, agentId);
}

export function isReadable(envelope: Envelope, agentId: string, end: number): boolean {
  return envelope.seq <= end && (envelope.sender_id === agentId || isAddressedTo(envelope, agentId));
}

export function isPastTtl(envelope: Envelope, nowMs: number): boolean {
  return envelope.ttl_seconds !== null && msFromIso(envelope.created_at) + envelope.ttl_seconds * 1000 < nowMs;
}

/** True for the types that views show: content and violations. */
export function isViewLine(eventType: string): boolean {
  return eventType === 'msg.text' || isContent(eventType) || eventType === 'expectation.violated';
}

/** True for a view line that the participant sent or received. The caller checks when its membership ended. */
export function isViewLineFor(envelope: Envelope, agentId: string): boolean {
  return isViewLine(envelope.event_type) && (envelope.sender_id === agentId || isAddressedTo(envelope, agentId));
}
