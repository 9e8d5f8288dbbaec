/** How often a turn's progress is worth a line of its log. */

import type { SessionMetadata } from './records/session/session.ts';
import type { SessionState } from './state/state.ts';
import { appliesTo } from './tallies.ts';

/** Progress of one participant is logged at most this often, unless a shorter time waits for it. */
const EVERY_MS = 10_000;

/**
 * Half the shortest time that this participant's progress still extends, so that none of them passes between two lines.
 * What has fired for this turn cannot be extended any more: that bounds what a short time writes.
 */
export function progressEveryMs({ metadata, pacing, head }: SessionState, agentId: string): number {
  const sinceSeq = head.turn?.since_seq;
  return metadata.manifest.expectations.reduce((least, entry, index) => {
    const halfMs = heartbeatMs(entry) / 2;
    if (!(halfMs < least) || !appliesTo(entry, agentId, metadata)) return least;
    return pacing.fired[index]?.[agentId] === sinceSeq ? least : halfMs;
  }, EVERY_MS);
}

function heartbeatMs({ name, params }: SessionMetadata['manifest']['expectations'][number]): number {
  const isExtended = name === 'turn_within' && params.heartbeat !== false;
  return isExtended ? Number(params.seconds) * 1000 : Number.POSITIVE_INFINITY;
}
