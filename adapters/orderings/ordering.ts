/** The contract of discussion orderings: each chooses the next speaker, and a successor if the holder is inactive. */

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
  /** Turns left in the current round; 0 if the ordering counts rounds by places instead. */
  readonly turns_left: number;
  /** true if the moderator named the holder; false if the holder got the turn in another way. */
  readonly is_named: boolean;
  /** Set by the envelope that closes the session; null while it stays open. */
  readonly pending_close_reason: string | null;
  /** null if this ordering has no hands. */
  readonly hands: Hands | null;
}

/** An ordering's decision after a turn. */
export interface Step {
  readonly next: string | null;
  readonly rounds_done: number;
  readonly turns_left: number;
  readonly hands: Hands | null;
  /** true if the moderator names `next` as the speaker. */
  readonly names?: boolean;
  /** true if the speaker keeps its turn. */
  readonly goesOn?: boolean;
  /** Ends the session with this reason. */
  readonly reason?: string;
}

/** Pure, like its adapter. */
export interface Ordering {
  readonly takesPackets: boolean;
  /** Initial hands; absent = the ordering has none. */
  newHands?(): Hands;
  /** Rejects invalid drafts. The caller has already checked the turn. */
  check?(metadata: SessionMetadata, draft: Draft, state: DiscussionState): void;
  /** Called after a message of the turn holder. */
  spoken(envelope: Envelope, state: DiscussionState, metadata: SessionMetadata): Step;
  /** Called if no active participant holds the turn: the session opens, or the expected speaker left. */
  given(state: DiscussionState, metadata: SessionMetadata): Step;
  /** Called after content that takes no turn. */
  noted?(envelope: Envelope, state: DiscussionState): DiscussionState;
  /** Called after a change of participants, with the current `active`. */
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

/** The first round begins when the first turn is given, later ones at the end of the previous round. */
export function roundBegun({ rounds_done, turns_left }: Rounds, length: number): Rounds {
  return { rounds_done, turns_left: turns_left === 0 ? Math.max(1, length) : turns_left };
}
