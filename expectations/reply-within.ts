/** reply_within: participants addressed by content must post in time. */

import { nameOf, type TimedEvaluator } from 'parley-hub/core';
import { checkTimed, msOf } from './parts/params.ts';

export const replyWithin: TimedEvaluator = {
  name: 'reply_within',
  version: 1,
  needsUnanswered: true,
  checkParams: (params) => checkTimed(params),
  waits({ metadata, pacing, params }) {
    if (metadata.state !== 'ACTIVE' || pacing.unanswered.length === 0) return [];
    const ms = msOf(params);
    return pacing.unanswered.map(({ agent_id, seq, at }) => ({
      agent_id,
      since_seq: seq,
      since_ms: at,
      due_ms: at + ms,
    }));
  },
  describe(violated, { metadata, params }) {
    const who = violated.map(
      ({ agent_id, since_seq }) => `${nameOf(metadata, agent_id ?? '')} has not answered seq ${since_seq}`,
    );
    return `${who.join(', ')} for more than ${String(params.seconds)} s`;
  },
};
