/** max_silence: somebody must post in time. The violator is the session. */

import type { TimedEvaluator } from 'parley-hub/core';
import { checkTimed, msOf } from './parts/params.ts';

export const maxSilence: TimedEvaluator = {
  name: 'max_silence',
  version: 1,
  violator: 'session',
  checkParams: (params) => checkTimed(params),
  waits({ metadata, pacing, params }) {
    const last = pacing.content ?? pacing.opened;
    if (metadata.state !== 'ACTIVE' || last === null) return [];
    return [{ agent_id: null, since_seq: last.seq, since_ms: last.at, due_ms: last.at + msOf(params) }];
  },
  describe([wait], { params }) {
    return `nobody has said anything since seq ${wait?.since_seq} for more than ${String(params.seconds)} s`;
  },
};
