/** CLOSING ends when everyone joined and still here has the closing. */

import { drained } from '../core/decisions/end-session.ts';
import { asError } from '../core/lib/errors.ts';
import type { Head } from '../core/state/fold-head.ts';
import type { HubParts } from './parts.ts';

/** If it cannot be written now, the drain timeout asks again. */
export async function checkDrained(parts: HubParts, head: Head): Promise<void> {
  if (head.state !== 'CLOSING' || head.closing_seq === null) return;
  if (!parts.bindings.haveAcked(head, head.closing_seq)) return;
  try {
    await parts.sessions.use(head.session_id, (session) => session.decide(drained));
  } catch (thrown) {
    const error = asError(thrown).message;
    parts.log.warn('a drained session could not be closed', { session_id: head.session_id, error });
  }
}
