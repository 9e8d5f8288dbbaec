/** Builds and folds invites, at the creation of a session and later. */

import { type Draft, type Envelope, hubDraft } from '../records/session/envelope.ts';
import type { Participant, SessionMetadata } from '../records/session/session.ts';

type Place = Pick<Participant, 'agent_id' | 'name' | 'role' | 'order'>;

export interface InviteContext {
  readonly session_id: string;
  readonly manifest: { readonly type: string };
  readonly creator_id: string;
  readonly participants: readonly Place[];
  readonly labels: Readonly<Record<string, string>>;
}

export function inviteDraft(session: InviteContext, { agent_id, name, role, order }: Place): Draft {
  const { session_id, manifest, creator_id, participants, labels } = session;
  const creator_name = participants.find((one) => one.agent_id === creator_id)?.name ?? creator_id;
  const data = { agent_id, name, role, order, type: manifest.type, creator_id, creator_name, labels };
  return hubDraft(session_id, 'session.invite', data, [agent_id]);
}

type Invited = Pick<SessionMetadata, 'participants' | 'pending_acks' | 'rejected_by'>;

/** Appends a new invitee, or re-invites one that declined; the invites of the session's creation change nothing. */
export function applyInvite(before: SessionMetadata, { event_data }: Envelope): Invited {
  const { participants, pending_acks, rejected_by } = before;
  const agentId = String(event_data.agent_id);
  const known = participants.find(({ agent_id }) => agent_id === agentId);
  if (known !== undefined && known.status !== 'rejected') return { participants, pending_acks, rejected_by };
  const { name, role, order } = event_data;
  const place = known ?? { agent_id: agentId, name: String(name), role: String(role), order: Number(order) };
  const invitee: Participant = { ...place, joined_at: null, status: 'invited' };
  return {
    participants:
      known === undefined ? [...participants, invitee] : participants.map((one) => (one === known ? invitee : one)),
    pending_acks: [...pending_acks, agentId],
    rejected_by: rejected_by.filter((id) => id !== agentId),
  };
}
