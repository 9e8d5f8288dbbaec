/** Raised hands, where the type of a session shows them: who bids how much for the next turn. Pure. */

import type { StateAt } from '../../../core/console-operations.ts';
import { isPlainObject } from '../../../core/lib/json.ts';

export const MOST_BID = 9;

/** By id, those above 0; null = hands are not raised here. */
export function handsIn({ public_state }: Pick<StateAt, 'public_state'>): ReadonlyMap<string, number> | null {
  const { bids } = public_state;
  if (!isPlainObject(bids)) return null;
  return new Map(Object.entries(bids).filter((one): one is [string, number] => isBid(one[1]) && one[1] > 0));
}

export function isBid(bid: unknown): bid is number {
  return typeof bid === 'number' && Number.isInteger(bid) && bid >= 0 && bid <= MOST_BID;
}
