/** Rounds that are a number of turns: as many as could take one when the round began. */

import type { DiscussionState } from './ordering.ts';

type Rounds = Pick<DiscussionState, 'rounds_done' | 'turns_left'>;

/** One turn of the round was taken. */
export function turnTaken({ rounds_done, turns_left }: Rounds, length: number): Rounds {
  if (turns_left > 1) return { rounds_done, turns_left: turns_left - 1 };
  return { rounds_done: rounds_done + 1, turns_left: Math.max(1, length) };
}

/** The first round begins with the first turn that is given; later ones where the one before ends. */
export function roundBegun({ rounds_done, turns_left }: Rounds, length: number): Rounds {
  return { rounds_done, turns_left: turns_left === 0 ? Math.max(1, length) : turns_left };
}
