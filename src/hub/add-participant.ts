/** One more for a session: judged twice, before the arbiter is asked and after, for it may take its time. */

import { type AddAnswer, addParticipant } from '../core/decisions/add-participant.ts';
import type { Decision } from '../core/decisions/advance.ts';
import type { Params } from '../core/operations.ts';
import type { SessionState } from '../core/state/state.ts';
import { boundCaller, type Caller } from './caller.ts';
import { decideAs } from './decide-as.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { ifMayOpen } from './may-open.ts';
import { ifAvailable } from './operate.ts';
import type { HubParts } from './parts.ts';

export function addOne(
  parts: HubParts,
  caller: Caller,
  { session_id, participant, role }: Params<'add_participant'>,
): Promise<AddAnswer> {
  const { agentId: by, name } = boundCaller(caller);
  // Looked up when it is judged: it may be another moment, and who is not in the session learns nothing of names.
  const judge = (state: SessionState, agentId: string, session: LiveSession): Decision<AddAnswer> => {
    const newcomer = { asked: participant, agent: parts.registry.invitable(participant), role };
    return ifAvailable(session, addParticipant(state, agentId, newcomer, parts.limits));
  };
  const add = (): Promise<AddAnswer> => decideAs(parts, caller, session_id, judge);
  return parts.sessions.use(session_id, (session) => {
    const { durable } = session;
    const agent = parts.registry.invitable(participant);
    // What is refused anyway, or changes nothing, needs nobody's leave.
    if (agent === null || durable === null || judge(durable, by, session).kind !== 'append') return add();
    const { manifest, depth } = durable.metadata;
    const opening = { by: { agent_id: by, name }, others: [agent], type: manifest.type, depth, session_id };
    return ifMayOpen(parts, opening, add);
  });
}
