/** Handles the operations on sessions: opening, joining, leaving and ending them, and operator actions on participants. */

import { sessionNotFoundError } from '../../core/decisions/admit.ts';
import { type Decision, refuse } from '../../core/decisions/decision.ts';
import { closeSession } from '../../core/decisions/end-session.ts';
import {
  ackInvite,
  hideParticipant,
  leaveSession,
  rejectInvite,
  removeParticipant,
  requireParticipant,
  returnParticipant,
} from '../../core/decisions/membership.ts';
import type { MembershipOperations } from '../../core/protocol/operations/membership.ts';
import { isTerminal, participantOf } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Opening } from '../opening/opening.ts';
import type { Posting } from '../posting/post.ts';
import type { SharedRooms } from '../posting/shared-rooms.ts';
import { requireAvailable } from '../sessions/live-session.ts';
import { grantRefusal, type Handlers } from './run-operation.ts';

type SessionOperationsNeeds = Pick<SharedRooms, 'registry' | 'sessions'> & {
  readonly posting: Posting;
  readonly opening: Opening;
};

type Name = Exclude<keyof MembershipOperations, 'delegate'> | 'close_session';

export function sessionOperations({ registry, sessions, posting, opening }: SessionOperationsNeeds): Handlers<Name> {
  const byOperator = <T>({ metadata }: SessionState, by: Binding, decide: () => Decision<T>): Decision<T> => {
    const refusal = grantRefusal(registry, by, 'operate', metadata);
    return refusal === null ? decide() : refuse(refusal);
  };

  return {
    create_session: (by, params) => opening.create(by, params),

    add_participant: (by, params) => opening.add(by, params),

    ack_invite: (by, { session_id }) =>
      posting.decideForCaller(by, session_id, (state) => ackInvite(state, by.agentId)),

    reject_invite: (by, { session_id, reason = 'declined' }) =>
      posting.decideForCaller(by, session_id, (state) => rejectInvite(state, by.agentId, reason)),

    leave_session: (by, { session_id }) =>
      posting.decideForCaller(by, session_id, (state) => leaveSession(state, by.agentId)),

    async close_session(by, { session_id, reason = 'explicit_close', wait = 'closing' }) {
      const answer = await posting.decideForCaller(by, session_id, (state) =>
        closeSession(state, by.agentId, reason, registry.hasGrant(by.agentId, 'operate', by.credential)),
      );
      if (wait === 'closing' || isTerminal(answer.state)) return answer;
      const ended = await sessions.whenIn(session_id, ({ state }) => isTerminal(state));
      return { state: ended.state, close_reason: ended.close_reason };
    },

    return_to_session: (by, { session_id, participant }) =>
      posting.decideForCaller(by, session_id, (state, session) => {
        const self = participantOf(state.metadata, by.agentId);
        const bringBack = (nameOrId: string) => requireAvailable(session, returnParticipant(state, nameOrId));
        const isOther = participant !== undefined && participant !== self?.agent_id && participant !== self?.name;
        if (isOther) return byOperator(state, by, () => bringBack(participant));
        return self === undefined ? refuse(sessionNotFoundError(session_id)) : bringBack(by.agentId);
      }),

    hide_participant: (by, { session_id, participant, reason }) =>
      posting.decideForCaller(by, session_id, (state, session) =>
        byOperator(state, by, () => requireAvailable(session, hideParticipant(state, participant, reason))),
      ),

    remove_participant: (by, { session_id, participant, reason = 'removed' }) =>
      posting.decideForCaller(by, session_id, (state) =>
        byOperator(state, by, () => {
          const { agent_id } = requireParticipant(state.metadata, participant);
          return removeParticipant(state, agent_id, reason);
        }),
      ),
  };
}
