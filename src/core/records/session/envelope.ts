/** An envelope is one immutable record of a session log; a draft is one that the hub has not stamped yet. */

import type { JsonObject } from '../../lib/json.ts';
import type { Grant } from '../access/grants.ts';

export type Priority = 'background' | 'normal' | 'urgent';

export interface Draft {
  readonly session_id: string;
  readonly sender_id: string;
  /** null = everyone, a list = only these, [] = logged but delivered to nobody (hub only). */
  readonly audience: readonly string[] | null;
  readonly event_type: string;
  readonly event_data: JsonObject;
  readonly causation_id: string | null;
  readonly task_id: string | null;
  readonly traceparent: string | null;
  readonly priority: Priority;
  readonly idempotency_key: string | null;
  /** Limits delivery only: after this many seconds the envelope is no longer sent. */
  readonly ttl_seconds: number | null;
}

export interface Redaction {
  /** The operator's agent id; null if the host application redacted it. */
  readonly by: string | null;
  readonly at: string;
  readonly reason: string | null;
  /** SHA-256 of the canonical JSON of the original `event_data`. */
  readonly digest: string;
  /** Compared with the digest of a repeat under the same idempotency key. */
  readonly key_digest: string;
}

export interface Envelope extends Draft {
  readonly envelope_id: string;
  readonly seq: number;
  readonly depth: number;
  readonly created_at: string;
  /** Set when an operator has redacted the content. */
  readonly redacted?: Redaction;
}

/** The participant that holds the turn, and the envelope that gave it. */
export interface Turn {
  readonly agent_id: string;
  readonly since_seq: number;
}

/** A decision, other than a turn, that the session waits for; requires the grant. */
export interface Awaited {
  readonly text: string;
  readonly grant: Grant;
  /** The envelope that began the wait. */
  readonly since_seq: number;
}

export const HUB_ID = 'hub';

/** Defaults of the optional members of a draft. */
export const PLAIN: Pick<
  Draft,
  'causation_id' | 'task_id' | 'traceparent' | 'priority' | 'idempotency_key' | 'ttl_seconds'
> = {
  causation_id: null,
  task_id: null,
  traceparent: null,
  priority: 'normal',
  idempotency_key: null,
  ttl_seconds: null,
};

/** A draft by the hub, with default members. */
export function hubDraft(
  sessionId: string,
  eventType: HubEventType,
  eventData: JsonObject,
  audience: readonly string[] | null = null,
): Draft {
  return {
    session_id: sessionId,
    sender_id: HUB_ID,
    audience,
    event_type: eventType,
    event_data: eventData,
    ...PLAIN,
  };
}

/** Types only the hub may create. */
export const HUB_EVENT_TYPES = [
  'session.created',
  'session.invite',
  'session.invite.ack',
  'session.invite.reject',
  'session.opened',
  'session.closing',
  'session.closed',
  'session.expired',
  'session.participant.joined',
  'session.participant.hidden',
  'session.participant.returned',
  'session.participant.removed',
  'session.available',
  'expectation.violated',
  'task.expired',
  'delegation.opened',
  'delegation.settled',
] as const;

export type HubEventType = (typeof HUB_EVENT_TYPES)[number];

const hubEventTypes: ReadonlySet<string> = new Set(HUB_EVENT_TYPES);

/** True for reserved types: whole families, so that future hub types cannot be forged today. */
export function isReservedType(eventType: string): boolean {
  return (
    hubEventTypes.has(eventType) ||
    eventType.startsWith('session.') ||
    eventType.startsWith('expectation.') ||
    eventType.startsWith('delegation.')
  );
}

export function isTaskType(eventType: string): boolean {
  return eventType.startsWith('task.');
}

/** True for types that participants post, except tasks and `context.set`. */
export function isContent(eventType: string): boolean {
  return !isReservedType(eventType) && !isTaskType(eventType) && eventType !== 'context.set';
}

/** True for types that evaluators check on acceptance: content, and settled delegations, which report spending. */
export function isChecked(eventType: string): boolean {
  return eventType === 'msg.text' || isContent(eventType) || eventType === 'delegation.settled';
}

/** The agent responsible for an envelope: its sender, or the delegator of a settled delegation. */
export function actingAgent({ event_type, event_data, sender_id }: Draft): string {
  return event_type === 'delegation.settled' ? String(event_data.agent_id) : sender_id;
}

const foldedHubTypes: ReadonlySet<string> = new Set<HubEventType>([
  'session.opened',
  'session.participant.joined',
  'session.participant.hidden',
  'session.participant.returned',
  'session.participant.removed',
]);

/** True for types passed to an adapter's `fold`. */
export function isFolded(eventType: string): boolean {
  return isContent(eventType) || eventType === 'context.set' || foldedHubTypes.has(eventType);
}
