/** What was said in a session, from the newest back as far as is needed. */

import { type Envelope, isContent } from '../../core/records/session/envelope.ts';
import type { Participant } from './participant.ts';

/** Of the log at once; the first look is mostly enough. */
const FIRST = 50;
const FURTHER = 500;
/** Looks before it is given up. */
const MOST_LOOKS = 100;

export interface LookedBack {
  /** The newest first. */
  readonly said: readonly Envelope[];
  /** Everything from this seq on was looked at. */
  readonly from: number;
}

/** `isEnough` is asked after each page of the log. */
export async function lookBack(
  participant: Participant,
  session_id: string,
  isEnough: (found: LookedBack) => boolean,
): Promise<LookedBack> {
  let found: LookedBack = { said: [], from: Number.MAX_SAFE_INTEGER };
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const from_seq = looks === 0 ? undefined : found.from - 1;
    const limit = looks === 0 ? FIRST : FURTHER;
    const { envelopes, next } = await participant.call('read_log', { session_id, from_seq, limit, reverse: true });
    const said = [...found.said, ...envelopes.filter(({ event_type }) => isContent(event_type))];
    found = { said, from: next === null ? 0 : next + 1 };
    if (next === null || isEnough(found)) return found;
  }
  return found;
}
