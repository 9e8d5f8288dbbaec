/** Describes whose turn it is, and why the person cannot send. Pure. */

import type { WireCode } from '../../../core/lib/errors.ts';
import type { Turn } from '../../../core/records/session/envelope.ts';
import type { Participant, SessionMetadata } from '../../../core/records/session/session.ts';

/** Why the hub would refuse a message now. */
export interface Obstacle {
  readonly code: WireCode | null;
  readonly why: string;
}

/** Says whose turn it is, and names the obstacle unless it only repeats that. */
export function turnText(
  turn: Turn | null,
  me: string,
  names: ReadonlyMap<string, string>,
  obstacle: Obstacle | null,
): string {
  const holder = holderText(turn, me, names);
  const isRepeated = obstacle?.code === 'not_your_turn' && turn !== null && turn.agent_id !== me;
  return obstacle === null || isRepeated ? holder : `${holder} Not now: ${obstacle.why}`;
}

function holderText(turn: Turn | null, me: string, names: ReadonlyMap<string, string>): string {
  if (turn === null) return 'Nobody has the turn.';
  return turn.agent_id === me ? 'It is your turn.' : `It is the turn of ${names.get(turn.agent_id) ?? turn.agent_id}.`;
}

/** The text shown in place of the composer; null to show nothing. */
export function silenceText(place: Participant | null, { state }: Pick<SessionMetadata, 'state'>): string | null {
  if (place === null) return null;
  if (state === 'CLOSED' || state === 'EXPIRED') return 'This session has ended: no more messages can be sent.';
  if (state === 'CLOSING') return 'This session is closing: no more messages can be sent.';
  if (place.status === 'hidden') return 'You are hidden: you can read, but not send.';
  if (place.status === 'removed') return 'You were removed from this session.';
  if (place.status === 'rejected') return 'You declined the invite.';
  if (place.status === 'invited') return null;
  return state === 'INVITED' ? 'The session starts when enough participants have accepted.' : null;
}
