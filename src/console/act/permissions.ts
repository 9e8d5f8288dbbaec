/** Decides which actions the page offers an identity in a session. */

import { useMemo } from 'preact/hooks';
import type { SessionStateAt, WhoAmI } from '../../core/protocol/operations/console-sessions.ts';
import {
  isTerminal,
  type LifecycleState,
  type Participant,
  type ParticipantStatus,
} from '../../core/records/session/session.ts';
import type { OpenSession } from '../state/session/open-session.ts';
import { useConsole } from '../state/use-store.ts';

export interface SessionPermissions {
  /** Null if the identity is not a participant. */
  readonly place: Participant | null;
  readonly speak: boolean;
  /** Return from being hidden. */
  readonly comeBack: boolean;
  readonly close: boolean;
  /** Hide, remove and return other participants. */
  readonly operate: boolean;
  /** Approve or refuse gates, and answer the question of a blocked run. */
  readonly approve: boolean;
}

const NO_PERMISSIONS: SessionPermissions = {
  place: null,
  speak: false,
  comeBack: false,
  close: false,
  operate: false,
  approve: false,
};

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

/** Permits no action while the page shows a past state. */
export function usePermissions({ now, replay }: OpenSession): SessionPermissions {
  const me = useConsole((state) => state.me);
  const isReadOnly = useConsole((state) => state.readOnly);
  return useMemo(
    () => (now === null || replay !== null ? NO_PERMISSIONS : permissionsFor(me, now.session, isReadOnly)),
    [me, now?.session, replay === null, isReadOnly],
  );
}

export type OperatorAction = 'hide' | 'remove' | 'return';

export function operatorActionsFor(status: ParticipantStatus, state: LifecycleState): readonly OperatorAction[] {
  if (status === 'active') return state === 'ACTIVE' ? ['hide', 'remove'] : ['remove'];
  if (status === 'hidden') return ['return', 'remove'];
  return status === 'invited' ? ['remove'] : [];
}

/** Why an identity with the `approve` grant cannot answer a run; null if its participation does not prevent it. */
export function approvalObstacle(me: WhoAmI | null, { session }: Pick<SessionStateAt, 'session'>): string | null {
  if (me === null || !me.grants.includes('approve') || isTerminal(session.state)) return null;
  const { participants, creator_id } = session;
  const rule = 'You have the "approve" grant, but only participants can answer';
  switch (participants.find(({ agent_id }) => agent_id === me.agent_id)?.status) {
    case 'active':
      return null;
    case 'invited':
      return `${rule}: accept the invite first.`;
    case 'hidden':
      return `${rule}, and you are hidden: come back first.`;
    case 'removed':
      return `${rule}, and you were removed from this session.`;
    default: {
      const creator = participants.find(({ agent_id }) => agent_id === creator_id)?.name ?? creator_id;
      return `${rule}. ${creator}, who created the session, can invite you (add_participant). If a hub serves the run, its operator can give you a role: parley up --run … --holds role=${me.name}.`;
    }
  }
}
