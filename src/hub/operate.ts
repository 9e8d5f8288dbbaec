/** What the owner of a hub does with participants, by library call: judged like everything else, on the state a post would meet. */

import { type Decision, refuse } from '../core/decisions/advance.ts';
import { hideParticipant, participantCalled, returnParticipant } from '../core/hiding.ts';
import { type InviteAnswer, removeParticipant } from '../core/decisions/membership.ts';
import { agentRef, sessionId } from '../core/records/session/record-schemas.ts';
import { schemaOf, text } from '../core/lib/schema.ts';
import type { SessionState } from '../core/state/state.ts';
import { type LiveSession, unavailableSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';

/** A participant, by name or id, of a session. */
export interface Whom {
  readonly sessionId: string;
  readonly agent: string;
}

export function hide(parts: HubParts, whom: Whom, reason: string | undefined): Promise<InviteAnswer> {
  checkReason(reason);
  return decide(parts, whom, (session) => (state) => ifAvailable(session, hideParticipant(state, whom.agent, reason)));
}

export function bringBack(parts: HubParts, whom: Whom): Promise<InviteAnswer> {
  return decide(parts, whom, (session) => (state) => ifAvailable(session, returnParticipant(state, whom.agent)));
}

/** For good. Also where the adapter is missing: who must go must go. */
export function remove(parts: HubParts, whom: Whom, reason: string = 'removed'): Promise<InviteAnswer> {
  checkReason(reason);
  return decide(parts, whom, () => (state) => {
    const { agent_id } = participantCalled(state.metadata, whom.agent);
    return removeParticipant(state, agent_id, reason);
  });
}

/** Whose turn it is after a change is the adapter's to say: without one nothing is changed that can wait. */
export function ifAvailable<T>({ sessionId, unavailable }: LiveSession, decision: Decision<T>): Decision<T> {
  if (unavailable === null || decision.kind !== 'append') return decision;
  return refuse(unavailableSession(sessionId, unavailable));
}

async function decide<T>(
  parts: HubParts,
  { sessionId: id, agent }: Whom,
  decisionIn: (session: LiveSession) => (state: SessionState) => Decision<T>,
): Promise<T> {
  schemaOf(sessionId).parse(id, 'sessionId');
  schemaOf(agentRef).parse(agent, 'agent');
  parts.backlog.check();
  return parts.sessions.use(id, (session) => session.decide(decisionIn(session)));
}

function checkReason(reason: string | undefined): void {
  if (reason !== undefined) schemaOf(text(256)).parse(reason, 'reason');
}
