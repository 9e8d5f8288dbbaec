/** Why who has the grant to approve cannot answer a run, and what it takes. Pure. */

import type { SessionStateAt, WhoAmI } from '../../../core/protocol/operations/console-sessions.ts';
import { isTerminal } from '../../../core/records/session/session.ts';

/** null = they can, or it is not a matter of their place. */
export function approvalObstacle(me: WhoAmI | null, { session }: Pick<SessionStateAt, 'session'>): string | null {
  if (me === null || !me.grants.includes('approve') || isTerminal(session.state)) return null;
  const { participants, creator_id } = session;
  const place = participants.find(({ agent_id }) => agent_id === me.agent_id);
  const takes = 'You have the grant approve, but answering takes a place in the session';
  switch (place?.status) {
    case 'active':
      return null;
    case 'invited':
      return `${takes}: accept the invite first.`;
    case 'hidden':
      return `${takes}, and you are hidden: come back first.`;
    case 'removed':
      return `${takes}, and you are out of it.`;
    default: {
      const creator = participants.find(({ agent_id }) => agent_id === creator_id)?.name ?? creator_id;
      return `${takes}. ${creator}, who opened it, can invite you (add_participant); of a run that a hub serves, whoever runs the hub gives you a role of it (parley up --run … --holds role=${me.name}).`;
    }
  }
}
