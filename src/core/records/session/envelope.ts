/** Everything said is an envelope. A draft is an envelope the hub has not stamped yet. */

import type { JsonObject } from '../../lib/json.ts';
import type { Grant } from '../access/grants.ts';

export type Priority = 'background' | 'normal' | 'urgent';

export interface Draft {
  readonly session_id: string;
  readonly sender_id: string;
  /** null = everyone, a list = only these, [] = in the log, delivered to nobody (hub only). */
  readonly audience: readonly string[] | null;
  readonly event_type: string;
  readonly event_data: JsonObject;
  readonly causation_id: string | null;
  readonly task_id: string | null;
  readonly traceparent: string | null;
  readonly priority: Priority;
  readonly idempotency_key: string | null;
  /** Limits delivery only: after this many seconds the envelope is no longer sent to anyone. */
  readonly ttl_seconds: number | null;
}

/** What an envelope says of its redaction. */
export interface Redaction {
  /** Who did it, by id; null = whoever runs the hub. */
  readonly by: string | null;
  readonly at: string;
  readonly reason: string | null;
  /** The SHA-256 of the canonical JSON of what `event_data` was. */
  readonly digest: string;
  /** What a repeat under its key is compared with. */
  readonly key_digest: string;
}

export interface Envelope extends Draft {
  readonly envelope_id: string;
  readonly seq: number;
  readonly depth: number;
  readonly created_at: string;
  /** An operator has hidden what it said, and when; absent = nobody has. */
  readonly redacted?: Redaction;
}

/** Who has the right to speak, and which envelope gave it. */
export interface Turn {
  readonly agent_id: string;
  readonly since_seq: number;
}

/** What a session waits for that is nobody's turn: whoever has the grant may see to it. */
export interface Awaited {
  readonly text: string;
  readonly grant: Grant;
  /** The envelope since which it does. */
  readonly since_seq: number;
}

export const HUB_ID = 'hub';

/** What most drafts leave as it is. */
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

/** A hub-made draft: what differs from the usual is named. */
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

/** Types that only the hub may make. */
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

/** The hub keeps whole families to itself, so that a later type of its own can never be forged today. */
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

/** Content = what participants say: everything that is not the hub's, not a task's and not context.set. */
export function isContent(eventType: string): boolean {
  return !isReservedType(eventType) && !isTaskType(eventType) && eventType !== 'context.set';
}

/** What evaluators may look at right after it: content, and what was spent elsewhere for the session. */
export function isChecked(eventType: string): boolean {
  return eventType === 'msg.text' || isContent(eventType) || eventType === 'delegation.settled';
}

/** Whose doing it is: who said it, or who delegated what is settled. */
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

/** What an adapter's `fold` is called with; the rest of the log passes it by. */
export function isFolded(eventType: string): boolean {
  return isContent(eventType) || eventType === 'context.set' || foldedHubTypes.has(eventType);
}
