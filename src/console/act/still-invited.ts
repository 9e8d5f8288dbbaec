/** Which invites still wait: who was taken out of a session that it never joined is not told so by the hub. */

import type { SessionDescription } from '../../core/console-operations.ts';
import { ask } from '../ask.ts';
import { forgetInvite } from '../connection/link.ts';
import { store } from '../state.ts';

/** What one asks to be described at once. */
const MOST = 100;

export async function checkInvites(): Promise<void> {
  const { invites, me } = store.get();
  if (invites.length === 0 || me === null || document.hidden) return;
  const session_ids = invites.slice(0, MOST);
  const { sessions } = await ask('describe_sessions', { session_ids });
  for (const id of overIn(session_ids, sessions, me.agent_id)) forgetInvite(id);
}

/** Those of these that wait for nobody's answer any more. Pure. */
export function overIn(
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
