/** To observe a session, and to stop: for who has the grant, whether in the session or not. */

import { noSuchSession } from '../core/decisions/admit.ts';
import { WireError } from '../core/lib/errors.ts';
import { participantOf } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';
import { boundCaller, notBound } from './caller.ts';
import type { Handler } from './handler.ts';
import type { HubParts } from './parts.ts';

type Name = 'subscribe' | 'unsubscribe';

export const observeOperations: { readonly [N in Name]: Handler<N> } = {
  subscribe(parts, caller, { session_id, after_seq }) {
    const binding = boundCaller(caller);
    return parts.sessions.use(session_id, (session) => {
      const state = observable(parts, session.durable, binding.agentId, session_id);
      // It would be nobody's: what is observed ends with its binding.
      if (!parts.bindings.isCurrent(binding)) throw notBound(binding.name);
      const { seq: head_seq } = state.head;
      const afterSeq = Math.min(after_seq ?? head_seq, head_seq);
      const { epoch } = session;
      parts.observers.add(binding, state, { epoch, afterSeq });
      parts.events.emit('sessionObserved', { agent_id: binding.agentId, session_id, op: 'subscribe' });
      return { session_id, epoch, after_seq: afterSeq, head_seq, state: state.metadata.state };
    });
  },

  unsubscribe(parts, caller, { session_id }) {
    const binding = boundCaller(caller);
    if (binding.observations.has(session_id)) {
      parts.observers.remove(binding, session_id);
      return { session_id };
    }
    return parts.sessions.use(session_id, ({ durable }) => {
      observable(parts, durable, binding.agentId, session_id);
      return { session_id };
    });
  },
};

/** A stranger without the grant gets the answer for a session that does not exist. */
function observable(
  { registry }: HubParts,
  state: SessionState | null,
  agentId: string,
  sessionId: string,
): SessionState {
  const isIn = state !== null && participantOf(state.metadata, agentId) !== undefined;
  const mayObserve = registry.holds(agentId, 'observe');
  if (state === null || (!isIn && !mayObserve)) throw noSuchSession(sessionId);
  if (!mayObserve) throw new WireError('forbidden', 'this takes the grant "observe", also in a session of your own');
  return state;
}
