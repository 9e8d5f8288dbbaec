/** Reads raised hands: the bids for the next turn, if the session type shows them. Pure. */

import { isPlainObject } from '../../../core/lib/json.ts';
import type { SessionStateAt } from '../../../core/protocol/operations/console-sessions.ts';

export const MAX_BID = 9;

/** Bids above 0, by agent id; null if the session type has no bids. */
export function raisedHands({
  public_state,
}: Pick<SessionStateAt, 'public_state'>): ReadonlyMap<string, number> | null {
  const { bids } = public_state;
  if (!isPlainObject(bids)) return null;
  return new Map(Object.entries(bids).filter((one): one is [string, number] => isBid(one[1]) && one[1] > 0));
}

export function isBid(bid: unknown): bid is number {
  return typeof bid === 'number' && Number.isInteger(bid) && bid >= 0 && bid <= MAX_BID;
}
