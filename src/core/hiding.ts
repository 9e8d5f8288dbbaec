/** Out of the rotation and back: a hidden participant keeps reading and its place, and may not speak. */

import { sessionClosed } from './decisions/admit.ts';
import { type Decision, refuse } from './decisions/advance.ts';
import { hubDraft } from './records/session/envelope.ts';
import { ProtocolError, WireError } from './lib/errors.ts';
import type { InviteAnswer } from './decisions/membership.ts';
import { isTerminal, type Participant, type SessionMetadata } from './records/session/session.ts';
import type { SessionState } from './state/state.ts';

/** Only who is active, in an active session. One who is hidden already stays so. */
export function hideParticipant(state: SessionState, nameOrId: string, reason?: string): Decision<InviteAnswer> {
  return change(state, nameOrId, { from: 'active', to: 'hidden', doing: 'hidden' }, reason);
}

/** Only who is hidden. One who is active already stays so. */
export function returnParticipant(state: SessionState, nameOrId: string): Decision<InviteAnswer> {
  return change(state, nameOrId, { from: 'hidden', to: 'active', doing: 'returned' });
}

/** By id or by name, as the session knows it: also one who has been unregistered since. */
export function participantCalled({ participants, session_id }: SessionMetadata, nameOrId: string): Participant {
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
  const { agent_id, name, status } = participantCalled(metadata, nameOrId);
  if (status === to) return { kind: 'nothing', answer: { state: metadata.state } };
  if (isTerminal(metadata.state) || metadata.state === 'CLOSING') {
    return refuse(sessionClosed(metadata, `nobody can be ${doing} in it`));
  }
  if (metadata.state !== 'ACTIVE' || status !== from) {
    const message = `only who is ${from} in an active session can be ${doing}; ${name} is ${status} in session ${session_id}, which is ${metadata.state}`;
    return refuse(new ProtocolError(message, { status, state: metadata.state }));
  }
  const data = reason === undefined ? { agent_id } : { agent_id, reason };
  return {
    kind: 'append',
    drafts: [hubDraft(session_id, `session.participant.${doing}`, data)],
    answer: ({ after }) => ({ state: after.metadata.state }),
  };
}
