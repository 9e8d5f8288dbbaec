/** A session that could not go on can again: its log says so, and with that whose turn it is. */

import type { Decision } from '../core/decisions/advance.ts';
import { hubDraft } from '../core/records/session/envelope.ts';
import type { SessionState } from '../core/state/state.ts';
import type { LiveSession } from './sessions/live-session.ts';
import type { HubParts } from './parts.ts';

/** Everyone in it hears of it like of anything else: who was offered no turn meanwhile gets it with this. */
export function tellAvailable({ events, log }: HubParts, session: LiveSession): void {
  const { sessionId: session_id } = session;
  events.emit('sessionAvailable', { session_id });
  // If it cannot be written nothing else can, and its clients begin anew.
  session.decide(available).catch((thrown: unknown) => {
    log.warn('nobody could be told that a session is available again', { session_id, error: String(thrown) });
  });
}

/** Before it opens there is no turn, and when it closes none is left. */
function available({ metadata: { state, session_id } }: SessionState): Decision<void> {
  if (state !== 'ACTIVE') return { kind: 'nothing', answer: undefined };
  return { kind: 'append', drafts: [hubDraft(session_id, 'session.available', {})], answer: () => undefined };
}
