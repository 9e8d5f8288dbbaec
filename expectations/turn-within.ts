/** turn_within: the holder of the turn must take it in time. Progress extends the deadline, and a reported failure may end it. */

import { type JsonObject, nameOf, type TimedEvaluator, type TimingFacts } from 'parley-hub/core';
import { checkTimed, msOf } from './parts/params.ts';

/** Progress extends a turn to at most this multiple of `seconds`. */
const MAX_TIMES = 6;

export const turnWithin: TimedEvaluator = {
  name: 'turn_within',
  version: 1,
  checkParams: (params) => checkTimed(params, ['heartbeat', 'on_failure']),
  waits({ metadata, pacing, params }) {
    const { turn } = pacing;
    if (metadata.state !== 'ACTIVE' || turn === null) return [];
    const { agent_id, since_seq, at } = turn;
    const due_ms = dueMs(turn, pacing, params);
    // A returning participant holds the turn since its return, but `due_ms` may be a failure reported before.
    return [{ agent_id, since_seq, since_ms: Math.min(at, due_ms), due_ms }];
  },
  describe([wait], { metadata, params, pacing }) {
    if (wait === undefined) return '';
    const who = nameOf(metadata, wait.agent_id ?? '');
    if (params.on_failure === true && failedAt(wait, pacing) !== null) {
      return `${who}, who has had the turn since seq ${wait.since_seq}, reported that it failed`;
    }
    return `${who} has had the turn since seq ${wait.since_seq} for more than ${String(params.seconds)} s`;
  },
};

type Held = { readonly agent_id: string | null; readonly since_seq: number };

function dueMs(turn: NonNullable<TimingFacts['turn']>, pacing: TimingFacts, params: JsonObject): number {
  const ms = msOf(params);
  const failedMs = params.on_failure === true ? failedAt(turn, pacing) : null;
  const progressMs = params.heartbeat === false ? undefined : pacing.progress[turn.agent_id];
  const extended =
    progressMs === undefined ? turn.at + ms : Math.min(Math.max(turn.at, progressMs) + ms, turn.at + MAX_TIMES * ms);
  return failedMs === null ? extended : Math.min(failedMs, extended);
}

function failedAt({ agent_id, since_seq }: Held, { failed }: TimingFacts): number | null {
  return failed !== null && failed.agent_id === agent_id && failed.since_seq === since_seq ? failed.at : null;
}
