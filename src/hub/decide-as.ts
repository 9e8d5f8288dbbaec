/** A decision about a session that somebody who is bound asks for. */

import { type Decision, refuse } from '../core/decisions/advance.ts';
import type { SessionState } from '../core/state/state.ts';
import { boundCaller, type Caller, notBound } from './caller.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';

/** A decision asked for by the caller, who must still be bound when it is made: the session may have to be loaded first. */
export async function decideAs<T>(
  parts: HubParts,
  caller: Caller,
  sessionId: string,
  decide: (state: SessionState, agentId: string, session: LiveSession) => Decision<T>,
): Promise<T> {
  const by = boundCaller(caller);
  parts.backlog.check();
  return parts.sessions.use(sessionId, (session) =>
    session.decide((state) =>
      parts.bindings.mayAct(by) ? decide(state, by.agentId, session) : refuse(notBound(by.name)),
    ),
  );
}
