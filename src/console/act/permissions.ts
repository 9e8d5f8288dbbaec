/** What somebody may try in a session, by their grants and their place in it. What is not among it is not offered. Pure. */

import type { SessionStateAt, WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import {
  isTerminal,
  type LifecycleState,
  type Participant,
  type ParticipantStatus,
} from '../../core/records/session/session.ts';

export interface SessionPermissions {
  /** One's place in it; null = one has none. */
  readonly place: Participant | null;
  readonly speak: boolean;
  /** Hidden, and back by oneself. */
  readonly comeBack: boolean;
  readonly close: boolean;
  /** Hide, remove and return others. */
  readonly operate: boolean;
  /** Answer gates, and what a blocked run waits for. */
  readonly approve: boolean;
}

export const NO_PERMISSIONS: SessionPermissions = {
  place: null,
  speak: false,
  comeBack: false,
  close: false,
  operate: false,
  approve: false,
};

/** `session` as it is now: in the past nothing can be done, and who only looks does nothing. */
export function permissionsFor(
  me: WhoAmI | null,
  session: SessionStateAt['session'],
  isReadOnly: boolean,
): SessionPermissions {
  if (me === null) return NO_PERMISSIONS;
  const place = session.participants.find(({ agent_id }) => agent_id === me.agent_id) ?? null;
  if (isReadOnly) return { ...NO_PERMISSIONS, place };
  const { state, knobs, creator_id } = session;
  const isLive = !isTerminal(state) && state !== 'CLOSING';
  const isActive = place?.status === 'active' && isLive;
  const speak = isActive && state === 'ACTIVE';
  const operate = isLive && me.grants.includes('operate');
  return {
    place,
    speak,
    comeBack: place?.status === 'hidden' && state === 'ACTIVE',
    close: operate || (isActive && (knobs.close_by !== 'creator' || creator_id === me.agent_id)),
    operate,
    approve: speak && me.grants.includes('approve'),
  };
}

export type OperatorAction = 'hide' | 'remove' | 'return';

/** What can be done with a participant: who is hidden can come back, who is out is out. */
export function operatorActionsFor(status: ParticipantStatus, state: LifecycleState): readonly OperatorAction[] {
  if (status === 'active') return state === 'ACTIVE' ? ['hide', 'remove'] : ['remove'];
  if (status === 'hidden') return ['return', 'remove'];
  return status === 'invited' ? ['remove'] : [];
}
