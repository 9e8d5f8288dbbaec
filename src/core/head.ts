/** The summary of a session that stays in memory when its state does not: enough to list it, find it and wake it. */

import type { Entry, Turn } from './envelope.ts';
import type { CreatedData, LifecycleState, ParticipantStatus } from './session.ts';
import { msFromIso } from './time.ts';

export interface Head {
  readonly session_id: string;
  readonly seq: number;
  readonly envelope_id: string;
  readonly type: string;
  readonly version: number;
  readonly state: LifecycleState;
  readonly creator_id: string;
  /** In the order of the participants. */
  readonly members: Readonly<Record<string, ParticipantStatus>>;
  /** The seq at which each removed member left: its stream ends there. */
  readonly left: Readonly<Record<string, number>>;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly invite_deadline_at: string | null;
  readonly drain_timeout_ms: number;
  /** When the session began to close. */
  readonly closing_at: string | null;
  /** The seq of `session.closing`: what everyone present must have before the session ends. */
  readonly closing_seq: number | null;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly parent_session_id: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly create_key: string | null;
  readonly request_digest: string;
  readonly turn: Turn | null;
}

/** One step of the summary; the first entry of a session must be `session.created`. */
export function foldHead(head: Head | null, entry: Entry): Head {
  const { envelope, turn } = entry;
  if (head === null) return createdHead(entry);
  const next = { ...head, seq: envelope.seq, envelope_id: envelope.envelope_id, turn };
  const agentId = envelope.event_data.agent_id;
  const member = (status: ParticipantStatus): Head =>
    typeof agentId === 'string' ? { ...next, members: { ...head.members, [agentId]: status } } : next;
  const ended = (state: 'CLOSED' | 'EXPIRED'): Head => ({
    ...next,
    state,
    closed_at: envelope.created_at,
    close_reason: String(envelope.event_data.reason),
  });
  switch (envelope.event_type) {
    case 'session.invite.ack':
    case 'session.participant.joined':
    case 'session.participant.returned':
      return member('active');
    case 'session.invite.reject':
      return member('rejected');
    case 'session.participant.hidden':
      return member('hidden');
    case 'session.participant.removed':
      return typeof agentId === 'string'
        ? { ...member('removed'), left: { ...head.left, [agentId]: envelope.seq } }
        : next;
    case 'session.opened':
      return { ...next, state: 'ACTIVE' };
    case 'session.closing':
      return {
        ...next,
        state: 'CLOSING',
        closing_at: envelope.created_at,
        closing_seq: envelope.seq,
        close_reason: String(envelope.event_data.reason),
      };
    case 'session.closed':
      return ended('CLOSED');
    case 'session.expired':
      return ended('EXPIRED');
    default:
      return next;
  }
}

/** When the session must be looked at next, by its lifecycle alone; null = no deadline. */
export function lifecycleDeadline(head: Head): number | null {
  switch (head.state) {
    case 'INVITED':
      return earliest(head.invite_deadline_at, head.expires_at);
    case 'ACTIVE':
      return earliest(head.expires_at);
    case 'CLOSING':
      return head.closing_at === null ? null : msFromIso(head.closing_at) + head.drain_timeout_ms;
    default:
      return null;
  }
}

function createdHead({ envelope, turn }: Entry): Head {
  // session.created is made by the hub from a parsed request; the log is read by checksum, not by schema.
  const created = envelope.event_data as unknown as CreatedData;
  const members: Record<string, ParticipantStatus> = {};
  for (const { agent_id } of created.participants) {
    members[agent_id] = agent_id === created.creator_id ? 'active' : 'invited';
  }
  return {
    session_id: envelope.session_id,
    seq: envelope.seq,
    envelope_id: envelope.envelope_id,
    type: created.manifest.type,
    version: created.manifest.version,
    state: 'INVITED',
    creator_id: created.creator_id,
    members,
    left: {},
    created_at: envelope.created_at,
    expires_at: created.expires_at,
    invite_deadline_at: created.invite_deadline_at,
    drain_timeout_ms: created.drain_timeout_ms,
    closing_at: null,
    closing_seq: null,
    closed_at: null,
    close_reason: null,
    parent_session_id: created.parent_session_id,
    labels: created.labels,
    create_key: envelope.idempotency_key,
    request_digest: created.request_digest,
    turn,
  };
}

function earliest(...times: (string | null)[]): number | null {
  const known = times.filter((time) => time !== null).map(msFromIso);
  return known.length === 0 ? null : Math.min(...known);
}
