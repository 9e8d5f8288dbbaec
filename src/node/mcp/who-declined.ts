/** Who declined the invite to a session, and why, as far as it ended by that. */

import type { SessionMetadata } from '../../core/records/session/session.ts';
import { nameOf } from '../../core/records/session/session.ts';
import type { Participant } from './participant.ts';

/** Of the end of the log: a session that never opened has little else. */
const LOOKED_AT = 50;
const MOST_NAMED = 5;

/** `bob declined: no time`. */
export async function whoDeclined(participant: Participant, session: SessionMetadata): Promise<readonly string[]> {
  const { session_id, rejected_by } = session;
  if (rejected_by.length === 0 || session.opened_at !== null) return [];
  const log = { session_id, reverse: true, limit: LOOKED_AT };
  // Who never joined cannot read it, and knows the names at least.
  const { envelopes } = await participant.call('read_log', log).catch(() => ({ envelopes: [] }));
  return rejected_by.slice(0, MOST_NAMED).map((agentId) => {
    const said = envelopes.find(
      ({ event_type, event_data }) => event_type === 'session.invite.reject' && event_data.agent_id === agentId,
    );
    const why = said?.event_data.reason;
    return `${nameOf(session, agentId)} declined${typeof why === 'string' && why !== '' ? `: ${why}` : ''}`;
  });
}
