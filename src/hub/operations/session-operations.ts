/** The operations on sessions: opening them, joining and leaving them, ending them, and what operators do with participants. */

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
import { isTerminal, participantOf } from '../../core/records/session/session.ts';
import type { SessionState } from '../../core/state/state.ts';
import type { Binding } from '../bindings/binding.ts';
import type { Opening } from '../opening/opening.ts';
import type { Posting } from '../posting/post.ts';
import type { Registry } from '../registry/registry.ts';
import { requireAvailable } from '../sessions/live-session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { boundCaller, grantRefusal, type Handlers } from './handler.ts';

export interface SessionOperationsNeeds {
  readonly registry: Pick<Registry, 'hasGrant'>;
  readonly sessions: Sessions;
  readonly posting: Pick<Posting, 'decideForCaller'>;
  readonly opening: Opening;
}

type Name =
  | 'create_session'
  | 'add_participant'
  | 'ack_invite'
  | 'reject_invite'
  | 'leave_session'
  | 'close_session'
  | 'return_to_session'
  | 'hide_participant'
  | 'remove_participant';

export function sessionOperations({ registry, sessions, posting, opening }: SessionOperationsNeeds): Handlers<Name> {
  const byOperator = <T>({ metadata }: SessionState, by: Binding, decide: () => Decision<T>): Decision<T> => {
    const refusal = grantRefusal(registry, by, 'operate', metadata);
    return refusal === null ? decide() : refuse(refusal);
  };

  return {
    create_session: (caller, params) => opening.create(boundCaller(caller), params),

    add_participant: (caller, params) => opening.add(boundCaller(caller), params),

    ack_invite(caller, { session_id }) {
      return posting.decideForCaller(boundCaller(caller), session_id, (state, agentId) => ackInvite(state, agentId));
    },

    reject_invite(caller, { session_id, reason = 'declined' }) {
      return posting.decideForCaller(boundCaller(caller), session_id, (state, agentId) =>
        rejectInvite(state, agentId, reason),
      );
    },

    leave_session(caller, { session_id }) {
      return posting.decideForCaller(boundCaller(caller), session_id, (state, agentId) => leaveSession(state, agentId));
    },

    async close_session(caller, { session_id, reason = 'explicit_close', wait = 'closing' }) {
      const by = boundCaller(caller);
      const answer = await posting.decideForCaller(by, session_id, (state, agentId) =>
        closeSession(state, agentId, reason, registry.hasGrant(agentId, 'operate', by.credential)),
      );
      if (wait === 'closing' || isTerminal(answer.state)) return answer;
      const ended = await sessions.whenIn(session_id, ({ state }) => isTerminal(state));
      return { state: ended.state, close_reason: ended.close_reason };
    },

    return_to_session(caller, { session_id, participant }) {
      const by = boundCaller(caller);
      return posting.decideForCaller(by, session_id, (state, agentId, session) => {
        const self = participantOf(state.metadata, agentId);
        const bringBack = (whom: string) => requireAvailable(session, returnParticipant(state, whom));
        const isOther = participant !== undefined && participant !== self?.agent_id && participant !== self?.name;
        if (isOther) return byOperator(state, by, () => bringBack(participant));
        return self === undefined ? refuse(sessionNotFoundError(session_id)) : bringBack(agentId);
      });
    },

    hide_participant(caller, { session_id, participant, reason }) {
      const by = boundCaller(caller);
      return posting.decideForCaller(by, session_id, (state, _agentId, session) =>
        byOperator(state, by, () => requireAvailable(session, hideParticipant(state, participant, reason))),
      );
    },

    remove_participant(caller, { session_id, participant, reason = 'removed' }) {
      const by = boundCaller(caller);
      return posting.decideForCaller(by, session_id, (state) =>
        byOperator(state, by, () => {
          const { agent_id } = requireParticipant(state.metadata, participant);
          return removeParticipant(state, agent_id, reason);
        }),
      );
    },
  };
}
