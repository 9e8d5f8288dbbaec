/** Invites one more participant into a running session, at the creator's request. */

import { ProtocolError, WireError } from '../lib/errors.ts';
import type { Limits } from '../records/access/limits.ts';
import {
  isTerminal,
  type LifecycleState,
  nameOf,
  type Participant,
  participantOf,
  type SessionMetadata,
} from '../records/session/session.ts';
import { inviteDraft } from '../state/invite.ts';
import type { SessionState } from '../state/state.ts';
import { sessionClosedError, sessionNotFoundError } from './admit.ts';
import { type Decision, refuse } from './decision.ts';

/** The invitee as looked up in the registry; `agent` is null if the name is unknown. */
export interface InviteCandidate {
  readonly asked: string;
  readonly agent: { readonly agent_id: string; readonly name: string } | null;
  readonly role: string | undefined;
}

export interface AddAnswer {
  readonly state: LifecycleState;
  readonly participant: Participant;
}

/** Returns an existing participant or open invite unchanged. */
export function addParticipant(
  state: SessionState,
  by: string,
  { asked, agent, role = 'participant' }: InviteCandidate,
  limits: Limits,
): Decision<AddAnswer> {
  const { metadata } = state;
  const refusal = mayNotAdd(metadata, by);
  if (refusal !== null) return refuse(refusal);
  if (agent === null) return refuse(unknownAgent(asked));
  const known = participantOf(metadata, agent.agent_id);
  if (known !== undefined && known.status !== 'removed' && known.status !== 'rejected') {
    return { kind: 'nothing', answer: { state: metadata.state, participant: known } };
  }
  const unfit = doesNotFit(metadata, known, role, limits) ?? null;
  if (unfit !== null) return refuse(unfit);
  // An agent that declined keeps its role and its position in the order.
  const place = known ?? { ...agent, role, order: nextOrder(metadata) };
  return {
    kind: 'append',
    drafts: [inviteDraft(metadata, place)],
    answer: ({ after }) => ({ state: after.metadata.state, participant: invited(after.metadata, agent.agent_id) }),
  };
}

function mayNotAdd(metadata: SessionMetadata, by: string): WireError | null {
  const asker = participantOf(metadata, by);
  if (asker === undefined) return sessionNotFoundError(metadata.session_id);
  if (by !== metadata.creator_id) {
    const creator = nameOf(metadata, metadata.creator_id);
    return new WireError(
      'forbidden',
      `only ${creator}, the creator of session ${metadata.session_id}, may add participants`,
    );
  }
  if (isTerminal(metadata.state) || metadata.state === 'CLOSING') {
    return sessionClosedError(metadata, 'no participant can be added');
  }
  if (asker.status === 'active') return null;
  return new WireError(
    'forbidden',
    `you are ${asker.status} in session ${metadata.session_id} and may not add participants`,
  );
}

function unknownAgent(asked: string): WireError {
  const details = { field: 'params.participant', received: asked };
  return new WireError('not_found', `params.participant: no agent with name or id "${asked}" is registered`, details);
}

function doesNotFit(
  metadata: SessionMetadata,
  known: Participant | undefined,
  role: string,
  { maxParticipants }: Limits,
): WireError | null {
  const { session_id, participants, manifest } = metadata;
  const { max, roles } = manifest.participants;
  if (known?.status === 'removed') {
    const message = `${known.name} was removed from session ${session_id} and cannot be invited again`;
    return new ProtocolError(message, { status: known.status });
  }
  if (known === undefined && role !== 'participant' && (role === 'initiator' || !roles.includes(role))) {
    const free = roles.filter((one) => one !== 'initiator').join(', ');
    return new ProtocolError(`params.role: ${manifest.type} has no role "${role}"; valid roles: ${free}`, {
      field: 'params.role',
    });
  }
  const present = participants.filter(({ status }) => status !== 'removed' && status !== 'rejected').length;
  if (max !== null && present >= max) {
    return new ProtocolError(`session ${session_id} is full: ${manifest.type} allows at most ${max} participants`, {
      max,
    });
  }
  // Removed participants stay in the list, so they count towards the maximum.
  if (known !== undefined || participants.length < maxParticipants) return null;
  const message = `session ${session_id} has had ${participants.length} participants; at most ${maxParticipants} are allowed`;
  return new ProtocolError(message, { max: maxParticipants });
}

function nextOrder({ participants }: SessionMetadata): number {
  return 1 + Math.max(...participants.map(({ order }) => order));
}

function invited(metadata: SessionMetadata, agentId: string): Participant {
  const participant = participantOf(metadata, agentId);
  if (participant === undefined) throw new WireError('internal', `the invite of ${agentId} was not folded`);
  return participant;
}
