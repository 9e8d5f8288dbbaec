/** Decides about membership: answers to invites, removals, and the quorum. */

import { ProtocolError, WireError } from '../lib/errors.ts';
import { type Draft, hubDraft } from '../records/session/envelope.ts';
import {
  isTerminal,
  type LifecycleState,
  type Participant,
  participantOf,
  type SessionMetadata,
} from '../records/session/session.ts';
import type { SessionState } from '../state/state.ts';
import { sessionClosedError, sessionNotFoundError } from './admit.ts';
import { endDraft } from './advance.ts';
import { type Decision, refuse } from './decision.ts';

export interface InviteAnswer {
  readonly state: LifecycleState;
}

/** Only a pending invitee may ack. The ack that completes the quorum opens the session; later invitees join it. */
export function ackInvite(state: SessionState, agentId: string): Decision<InviteAnswer> {
  const { metadata } = state;
  const invitee = participantOf(metadata, agentId);
  if (invitee === undefined) return refuse(sessionNotFoundError(metadata.session_id));
  // The answer to an earlier ack may have been lost: a repeated ack has no effect.
  if (invitee.status === 'active' && agentId !== metadata.creator_id) return unchanged(metadata);
  const refusal = notPending(invitee, metadata);
  if (refusal !== null) return refusal;
  const ack = answerDraft(metadata, 'session.invite.ack', { agent_id: agentId });
  if (metadata.state === 'ACTIVE') return appendAnswer([ack, joinedDraft(metadata, invitee)]);
  // Adapters learn of invitees added after creation only from this `session.participant.joined`.
  const isNew = (state.status_seq[agentId] ?? 1) > 1;
  const drafts = isNew ? [ack, joinedDraft(metadata, invitee)] : [ack];
  const active = [...activeIds(metadata), agentId];
  const acks = active.filter((id) => id !== metadata.creator_id).length;
  if (acks < metadata.required_acks) return appendAnswer(drafts);
  const inOrder = metadata.participants.map(({ agent_id }) => agent_id).filter((id) => active.includes(id));
  const opened = hubDraft(metadata.session_id, 'session.opened', { active: inOrder });
  return appendAnswer([...drafts, opened]);
}

/** Declines an invite. The session ends only if the quorum can no longer be reached. */
export function rejectInvite(state: SessionState, agentId: string, reason: string): Decision<InviteAnswer> {
  const { metadata } = state;
  const invitee = participantOf(metadata, agentId);
  if (invitee === undefined) return refuse(sessionNotFoundError(metadata.session_id));
  if (invitee.status === 'rejected') return unchanged(metadata);
  const refusal = notPending(invitee, metadata);
  if (refusal !== null) return refusal;
  const reject = answerDraft(metadata, 'session.invite.reject', { agent_id: agentId, reason });
  return appendAnswer([reject, ...quorumLost(metadata, agentId)]);
}

/** Removes permanently: stream and read access end here. A pending invitee counts as declining. */
export function removeParticipant(state: SessionState, agentId: string, reason: string): Decision<InviteAnswer> {
  const { metadata } = state;
  const participant = participantOf(metadata, agentId);
  if (participant === undefined) return refuse(sessionNotFoundError(metadata.session_id));
  if (isTerminal(metadata.state) || participant.status === 'removed' || participant.status === 'rejected') {
    return unchanged(metadata);
  }
  // A closing session accepts no answers to invites; its end settles the open ones.
  if (participant.status === 'invited') {
    return metadata.state === 'CLOSING' ? unchanged(metadata) : rejectInvite(state, agentId, reason);
  }
  const removed = hubDraft(metadata.session_id, 'session.participant.removed', { agent_id: agentId, reason });
  return appendAnswer([removed, ...quorumLost(metadata, agentId)]);
}

/** Leaves at the participant's own request. An invitee declines instead; leaving twice is a no-op. */
export function leaveSession(state: SessionState, agentId: string): Decision<InviteAnswer> {
  const { metadata } = state;
  const { session_id } = metadata;
  if (participantOf(metadata, agentId)?.status === 'invited' && !isTerminal(metadata.state)) {
    const message = `you have not joined session ${session_id}; decline its invite with reject_invite`;
    return refuse(new ProtocolError(message, { status: 'invited' }));
  }
  return removeParticipant(state, agentId, 'left');
}

/** Before the session opens, a leaving participant may make the quorum unreachable. Later, advance() checks the minimum. */
function quorumLost(metadata: SessionMetadata, leaver: string): readonly Draft[] {
  if (metadata.state !== 'INVITED') return [];
  if (leaver === metadata.creator_id) return [endDraft(metadata, 'quorum_lost', 'creator_removed')];
  const reachable = metadata.participants.filter(
    ({ agent_id, status }) =>
      agent_id !== leaver && agent_id !== metadata.creator_id && (status === 'active' || status === 'invited'),
  );
  return reachable.length >= metadata.required_acks ? [] : [endDraft(metadata, 'quorum_lost', 'invite_rejected')];
}

function notPending(invitee: Participant, metadata: SessionMetadata): Decision<InviteAnswer> | null {
  if (isTerminal(metadata.state) || metadata.state === 'CLOSING') {
    return refuse(sessionClosedError(metadata, 'its invite can no longer be answered'));
  }
  if (invitee.status === 'invited') return null;
  const message = `${invitee.name} has no open invite to session ${metadata.session_id}: it is ${invitee.status}`;
  return refuse(new ProtocolError(message, { status: invitee.status }));
}

function answerDraft(
  metadata: SessionMetadata,
  type: 'session.invite.ack' | 'session.invite.reject',
  data: { agent_id: string; reason?: string },
): Draft {
  return hubDraft(metadata.session_id, type, data, [metadata.creator_id]);
}

function joinedDraft({ session_id }: SessionMetadata, { agent_id, name, role, order }: Participant): Draft {
  return hubDraft(session_id, 'session.participant.joined', { agent_id, name, role, order });
}

function activeIds(metadata: SessionMetadata): readonly string[] {
  return metadata.participants.filter(({ status }) => status === 'active').map(({ agent_id }) => agent_id);
}

function appendAnswer(drafts: readonly Draft[]): Decision<InviteAnswer> {
  return { kind: 'append', drafts, answer: ({ after }) => ({ state: after.metadata.state }) };
}

function unchanged({ state }: SessionMetadata): Decision<InviteAnswer> {
  return { kind: 'nothing', answer: { state } };
}

/** Requires an active participant in an active session; hiding twice is a no-op. */
export function hideParticipant(state: SessionState, nameOrId: string, reason?: string): Decision<InviteAnswer> {
  return change(state, nameOrId, { from: 'active', to: 'hidden', doing: 'hidden' }, reason);
}

/** Requires a hidden participant; returning twice is a no-op. */
export function returnParticipant(state: SessionState, nameOrId: string): Decision<InviteAnswer> {
  return change(state, nameOrId, { from: 'hidden', to: 'active', doing: 'returned' });
}

/** Finds a participant by name or id within the session, so that unregistered agents are found too. */
export function requireParticipant({ participants, session_id }: SessionMetadata, nameOrId: string): Participant {
  const participant =
    participants.find(({ agent_id }) => agent_id === nameOrId) ?? participants.find(({ name }) => name === nameOrId);
  if (participant !== undefined) return participant;
  const known = participants.map(({ name }) => name).join(', ');
  throw new WireError('not_found', `session ${session_id} has no participant "${nameOrId}"; it has ${known}`);
}

interface Change {
  readonly from: 'active' | 'hidden';
  readonly to: 'active' | 'hidden';
  readonly doing: 'hidden' | 'returned';
}

function change(
  state: SessionState,
  nameOrId: string,
  { from, to, doing }: Change,
  reason?: string,
): Decision<InviteAnswer> {
  const { metadata } = state;
  const { session_id } = metadata;
  const { agent_id, name, status } = requireParticipant(metadata, nameOrId);
  if (status === to) return { kind: 'nothing', answer: { state: metadata.state } };
  if (isTerminal(metadata.state) || metadata.state === 'CLOSING') {
    return refuse(sessionClosedError(metadata, `no participant can be ${doing}`));
  }
  if (metadata.state !== 'ACTIVE' || status !== from) {
    const message = `only a participant that is ${from} in an active session can be ${doing}; ${name} is ${status} in session ${session_id}, which is ${metadata.state}`;
    return refuse(new ProtocolError(message, { status, state: metadata.state }));
  }
  const data = reason === undefined ? { agent_id } : { agent_id, reason };
  return {
    kind: 'append',
    drafts: [hubDraft(session_id, `session.participant.${doing}`, data)],
    answer: ({ after }) => ({ state: after.metadata.state }),
  };
}
