/** Out of a session and back: what operators do with participants, and how who is hidden returns. */

import { noSuchSession } from '../core/decisions/admit.ts';
import { type Decision, refuse } from '../core/decisions/advance.ts';
import { WireError } from '../core/lib/errors.ts';
import { hideParticipant, participantCalled, returnParticipant } from '../core/hiding.ts';
import { removeParticipant } from '../core/decisions/membership.ts';
import { participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import { decideAs } from './decide-as.ts';
import type { Handler } from './handler.ts';
import { ifAvailable } from './operate.ts';
import type { HubParts } from './parts.ts';

type Name = 'return_to_session' | 'hide_participant' | 'remove_participant';

export const operatorOperations: { readonly [N in Name]: Handler<N> } = {
  return_to_session(parts, caller, { session_id, participant }) {
    return decideAs(parts, caller, session_id, (state, agentId, session) => {
      const self = participantOf(state.metadata, agentId);
      const bringBack = (whom: string) => ifAvailable(session, returnParticipant(state, whom));
      const isOther = participant !== undefined && participant !== self?.agent_id && participant !== self?.name;
      if (isOther) return byOperator(parts, state, agentId, () => bringBack(participant));
      return self === undefined ? refuse(noSuchSession(session_id)) : bringBack(agentId);
    });
  },

  hide_participant(parts, caller, { session_id, participant, reason }) {
    return decideAs(parts, caller, session_id, (state, agentId, session) =>
      byOperator(parts, state, agentId, () => ifAvailable(session, hideParticipant(state, participant, reason))),
    );
  },

  remove_participant(parts, caller, { session_id, participant, reason = 'removed' }) {
    return decideAs(parts, caller, session_id, (state, agentId) =>
      byOperator(parts, state, agentId, () => {
        const { agent_id } = participantCalled(state.metadata, participant);
        return removeParticipant(state, agent_id, reason);
      }),
    );
  },
};

/** Who is not in the session, and has no grant, does not learn that there is one. */
function byOperator<T>(
  { registry }: HubParts,
  { metadata }: SessionState,
  agentId: string,
  decide: () => Decision<T>,
): Decision<T> {
  if (registry.holds(agentId, 'operate')) return decide();
  if (participantOf(metadata, agentId) === undefined) return refuse(noSuchSession(metadata.session_id));
  return refuse(new WireError('forbidden', `this takes the grant "operate", also in a session of your own`));
}
