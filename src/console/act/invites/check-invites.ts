/** Forgets invites that wait no longer: who was taken out of a session that it never joined is not told so by the hub. */

import { forgetInvite } from '../../connection/hub-client.ts';
import { callRead } from '../../connection/read-operations.ts';
import { store } from '../../state/console-state.ts';
import { findExpiredInvites } from './pending-invites.ts';

/** What one asks to be described at once. */
const MAX_INVITES = 100;

export async function checkInvites(): Promise<void> {
  const { invites, me } = store.get();
  if (invites.length === 0 || me === null || document.hidden) return;
  const session_ids = invites.slice(0, MAX_INVITES);
  const { sessions } = await callRead('describe_sessions', { session_ids });
  for (const id of findExpiredInvites(session_ids, sessions, me.agent_id)) forgetInvite(id);
}
