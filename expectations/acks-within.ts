/** acks_within: while a session is INVITED, every invitee must answer in time. */

import { nameOf, type TimedEvaluator } from 'parley-hub/core';
import { checkTimed, msOf } from './parts/params.ts';

export const acksWithin: TimedEvaluator = {
  name: 'acks_within',
  version: 1,
  checkParams: (params) => checkTimed(params),
  waits({ metadata, pacing, params }) {
    const { created } = pacing;
    if (metadata.state !== 'INVITED' || created === null) return [];
    const due_ms = created.at + msOf(params);
    return metadata.pending_acks.map((agent_id) => ({
      agent_id,
      since_seq: created.seq,
      since_ms: created.at,
      due_ms,
    }));
  },
  describe(violated, { metadata, params }) {
    const who = violated.map(({ agent_id }) => nameOf(metadata, agent_id ?? '')).join(', ');
    return `${who} did not answer the invite within ${String(params.seconds)} s`;
  },
};
