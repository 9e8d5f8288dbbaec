/** CLOSING ends when everyone joined and still here has the closing. */

import { drained } from '../core/ending.ts';
import type { Head } from '../core/head.ts';
import type { HubParts } from './parts.ts';

export function checkDrained(parts: HubParts, head: Head): void {
  if (head.state !== 'CLOSING' || head.closing_seq === null) return;
  if (!parts.bindings.haveAcked(head, head.closing_seq)) return;
  void parts.sessions
    .use(head.session_id, (session) => session.decide(drained))
    .catch((error: Error) =>
      parts.log.warn('a drained session could not be closed', { session_id: head.session_id, error: error.message }),
    );
}
