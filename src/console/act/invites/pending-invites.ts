/** Forgets invites that no longer need an answer: the hub does not notify an invitee removed before joining. */

import type { SessionDescription } from '../../../core/protocol/operations/console-sessions.ts';
import { forgetInvite } from '../../connection/hub-client.ts';
import { describeSessions, MAX_DESCRIBED } from '../../connection/read-operations.ts';
import { store } from '../../state/console-state.ts';

export async function checkInvites(): Promise<void> {
  const { invites, me } = store.get();
  if (invites.length === 0 || me === null || document.hidden) return;
  const ids = invites.slice(0, MAX_DESCRIBED);
  const sessions = await describeSessions(ids);
  for (const id of findExpiredInvites(ids, sessions, me.agent_id)) forgetInvite(id);
}

/** The ids of invites that no longer need an answer. Pure. */
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
