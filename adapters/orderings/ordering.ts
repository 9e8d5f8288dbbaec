/** The contract of discussion orderings: each chooses the next speaker, and a successor for an inactive holder. */

import type { Draft, Envelope, JsonObject, SessionMetadata, TurnTool } from 'parley-hub/core';
import type { Rotation } from '../parts/rotation.ts';

/** Raised hands. Each record has at most one entry per participant. */
export interface Hands {
  /** The bid of each participant since it last spoke. */
  readonly bids: Readonly<Record<string, number>>;
  /** How many times in a row each candidate was passed over. */
  readonly passed: Readonly<Record<string, number>>;
  /** The number of each participant's last turn; absent = none yet. */
  readonly spoke: Readonly<Record<string, number>>;
}

export interface DiscussionState extends Rotation {
  readonly rounds_done: number;
  /** Turns left in the current round; 0 if rounds follow places instead. */
  readonly turns_left: number;
  /** The moderator named the holder, which did not get the turn because somebody left. */
  readonly is_named: boolean;
  /** Set by the envelope that closes the session; null = it stays open. */
  readonly pending_close_reason: string | null;
  /** null = this ordering has no hands. */
  readonly hands: Hands | null;
}

/** An ordering's decision after a turn. */
export interface Step {
  readonly next: string | null;
  readonly rounds_done: number;
  readonly turns_left: number;
  readonly hands: Hands | null;
  /** The moderator gives the turn to `next`. */
  readonly names?: boolean;
  /** The speaker keeps its turn. */
  readonly goesOn?: boolean;
  /** Ends the session. */
  readonly reason?: string;
}

/** Pure, like its adapter. */
export interface Ordering {
  readonly takesPackets: boolean;
  /** Initial hands; absent = the ordering has none. */
  newHands?(): Hands;
  /** Rejects invalid drafts; the turn has been checked before. */
  check?(metadata: SessionMetadata, draft: Draft, state: DiscussionState): void;
  /** After a message of the turn holder. */
  spoken(envelope: Envelope, state: DiscussionState, metadata: SessionMetadata): Step;
  /** No active participant holds the turn: the session opens, or the holder left and is still named as expected. */
  given(state: DiscussionState, metadata: SessionMetadata): Step;
  /** After content that takes no turn. */
  noted?(envelope: Envelope, state: DiscussionState): DiscussionState;
  /** After a change of participants; `active` is current. */
  regrouped?(state: DiscussionState): DiscussionState;
  tools?(metadata: SessionMetadata, state: DiscussionState, participantId: string): readonly TurnTool[];
  publicState?(metadata: SessionMetadata, state: DiscussionState): JsonObject;
}

type Rounds = Pick<DiscussionState, 'rounds_done' | 'turns_left'>;

/** Counts one turn of the round. */
export function turnTaken({ rounds_done, turns_left }: Rounds, length: number): Rounds {
  if (turns_left > 1) return { rounds_done, turns_left: turns_left - 1 };
  return { rounds_done: rounds_done + 1, turns_left: Math.max(1, length) };
}

/** The first round begins with the first given turn, later ones at the end of the previous round. */
export function roundBegun({ rounds_done, turns_left }: Rounds, length: number): Rounds {
  return { rounds_done, turns_left: turns_left === 0 ? Math.max(1, length) : turns_left };
}
