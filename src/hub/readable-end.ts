/** Who may read a session, and up to where: reading its log and its views share it. */

import { noSuchSession } from '../core/decisions/admit.ts';
import { membershipEnd } from '../core/records/session/delivery.ts';
import { WireError } from '../core/lib/errors.ts';
import { participantOf, type SessionMetadata } from '../core/records/session/session.ts';
import type { SessionState } from '../core/state/state.ts';

export interface Readable extends SessionState {
  /** The last seq within the reader's membership; infinite while it goes on. */
  readonly end: number;
}

/** A stranger gets the answer for a session that does not exist; who never joined is told why not. */
export function readableEnd(state: SessionState | null, agentId: string, sessionId: string): Readable {
  const participant = state === null ? undefined : participantOf(state.metadata, agentId);
  if (state === null || participant === undefined) throw noSuchSession(sessionId);
  const end = membershipEnd(state.head, agentId);
  if (end > 0) return { ...state, end };
  const why = participant.status === 'invited' ? invitedWords(state.metadata) : 'you never joined it';
  throw new WireError('forbidden', `you cannot read session ${sessionId}: ${why}`, { status: participant.status });
}

function invitedWords({ state, close_reason }: SessionMetadata): string {
  if (state === 'INVITED' || state === 'ACTIVE') return 'answer its invite first';
  return `it is ${state} (${close_reason ?? 'closing'}), and its invite can no longer be answered`;
}
