/** What an ordering of a discussion is: who is next after a message, and who gets a turn whose owner is gone. */

import type { Draft, Envelope, JsonObject, SessionMetadata, TurnTool } from 'parley-hub/core';
import type { Rotation } from '../parts/rotation.ts';

/** Raised hands. Each record has an entry per participant at most. */
export interface Hands {
  /** What everyone has bid since it last spoke. */
  readonly bids: Readonly<Record<string, number>>;
  /** How often in a row somebody else was given the turn. */
  readonly passed: Readonly<Record<string, number>>;
  /** The number of everyone's last turn; absent = it has not spoken. */
  readonly spoke: Readonly<Record<string, number>>;
}

export interface DiscussionState extends Rotation {
  readonly rounds_done: number;
  /** Of the present round, where a round is a number of turns; 0 where it goes by places. */
  readonly turns_left: number;
  /** Whoever has the turn was named by the moderator, and did not get it because somebody is away. */
  readonly is_named: boolean;
  /** Why the session closes with this envelope; null = it goes on. */
  readonly pending_close_reason: string | null;
  /** null = hands are not raised here. */
  readonly hands: Hands | null;
}

/** What an ordering decides about a turn. */
export interface Step {
  readonly next: string | null;
  readonly rounds_done: number;
  readonly turns_left: number;
  readonly hands: Hands | null;
  /** A moderator gives the turn to `next`. */
  readonly names?: boolean;
  /** The speaker goes on with the turn it has. */
  readonly goesOn?: boolean;
  /** It ends the session. */
  readonly reason?: string;
}

/** Pure, like the adapter it is a part of. */
export interface Ordering {
  readonly takesPackets: boolean;
  /** When nobody has spoken; an ordering without it keeps no hands. */
  newHands?(): Hands;
  /** Refuses what is wrong for it; whether the sender has the turn is looked at before. */
  check?(metadata: SessionMetadata, draft: Draft, state: DiscussionState): void;
  /** After a message of whoever had the turn. */
  spoken(envelope: Envelope, state: DiscussionState, metadata: SessionMetadata): Step;
  /** Nobody there has the turn: the session opens, or whoever had it is gone and is still named as expected. */
  given(state: DiscussionState, metadata: SessionMetadata): Step;
  /** Content that takes no turn. */
  noted?(envelope: Envelope, state: DiscussionState): DiscussionState;
  /** Somebody came or went; `active` is as it is now. */
  regrouped?(state: DiscussionState): DiscussionState;
  tools?(metadata: SessionMetadata, state: DiscussionState, participantId: string): readonly TurnTool[];
  publicState?(metadata: SessionMetadata, state: DiscussionState): JsonObject;
}

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
