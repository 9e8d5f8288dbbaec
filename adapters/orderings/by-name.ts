/** The orderings of a discussion by the name its knob has. */

import type { SessionMetadata } from 'parley-hub/core';
import { fieldError } from '../parts/field-error.ts';
import { atRandom } from './at-random.ts';
import { moderated } from './moderated.ts';
import type { Ordering } from './ordering.ts';
import { raiseHand } from './raise-hand.ts';
import { roundRobin } from './round-robin.ts';

const ORDERINGS: ReadonlyMap<unknown, Ordering> = new Map([
  ['round_robin', roundRobin],
  ['raise_hand', raiseHand],
  ['moderated', moderated],
  ['random', atRandom],
]);

export const ORDERING_NAMES: readonly string[] = [...ORDERINGS.keys()].map(String);

/** Throws a ProtocolError for a name that is none of them. */
export function orderingOf({ knobs: { ordering = 'round_robin' } }: Pick<SessionMetadata, 'knobs'>): Ordering {
  const found = ORDERINGS.get(ordering);
  if (found !== undefined) return found;
  throw fieldError('knobs.ordering', `one of ${ORDERING_NAMES.join(', ')}`, ordering);
}
