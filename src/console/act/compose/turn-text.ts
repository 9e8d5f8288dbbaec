/** Whose turn it is, and whether one may speak, in words. Pure. */

import type { WireCode } from '../../../core/lib/errors.ts';
import type { Turn } from '../../../core/records/session/envelope.ts';
import type { Participant, SessionMetadata } from '../../../core/records/session/session.ts';

/** What the hub says against speaking now. */
export interface Against {
  readonly code: WireCode | null;
  readonly why: string;
}

/** `against`: null = nothing is. That it is the turn of another is said once. */
export function turnText(
  turn: Turn | null,
  me: string,
  names: ReadonlyMap<string, string>,
  against: Against | null,
): string {
  const whose =
    turn === null
      ? 'Nobody in particular has the turn.'
      : turn.agent_id === me
        ? 'It is your turn.'
        : `It is the turn of ${names.get(turn.agent_id) ?? turn.agent_id}.`;
  const isSaid = against?.code === 'not_your_turn' && turn !== null && turn.agent_id !== me;
  return against === null || isSaid ? whose : `${whose} Not now: ${against.why}`;
}

/** Why there is nothing to write in; null = nothing has to be said about it. */
export function silenceText(place: Participant | null, { state }: Pick<SessionMetadata, 'state'>): string | null {
  if (place === null) return null;
  if (state === 'CLOSED' || state === 'EXPIRED') return 'It is over: nothing more is said here.';
  if (state === 'CLOSING') return 'It is closing: nothing more is said here.';
  if (place.status === 'hidden') return 'You are hidden: you read on, and may not speak.';
  if (place.status === 'removed') return 'You are out of this session.';
  if (place.status === 'rejected') return 'You declined the invite.';
  if (place.status === 'invited') return null;
  return state === 'INVITED' ? 'It begins when enough have accepted.' : null;
}
