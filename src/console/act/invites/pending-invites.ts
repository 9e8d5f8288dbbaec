/** Which invites still wait. Pure. */

import type { SessionDescription } from '../../../core/protocol/operations/console-sessions.ts';

/** Those of these that wait for nobody's answer any more. */
export function findExpiredInvites(
  ids: readonly string[],
  sessions: readonly SessionDescription[],
  agentId: string,
): readonly string[] {
  const waiting = sessions.filter(({ state, participants }) => {
    const own = participants.find(({ agent_id }) => agent_id === agentId);
    return (state === 'INVITED' || state === 'ACTIVE') && own?.status === 'invited';
  });
  return ids.filter((id) => !waiting.some(({ session_id }) => session_id === id));
}
