/** raise_hand: everyone may bid for the next turn at any time; the highest bid wins, and nobody waits forever. */

import type { Json, TurnTool } from 'parley-hub/core';
import { fieldError } from '../parts/field-error.ts';
import { othersThan } from './at-random.ts';
import { type DiscussionState, type Hands, type Ordering, roundBegun, turnTaken } from './ordering.ts';
import { firstSpeaker } from './round-robin.ts';

const RAISE = 'hand.raise';
const MAX_BID = 9;
const NOBODY: Hands = { bids: {}, passed: {}, spoke: {} };

export const raiseHand: Ordering = {
  takesPackets: false,
  newHands: () => ({ bids: {}, passed: {}, spoke: {} }),

  check(_metadata, { event_type, event_data }) {
    if (event_type === RAISE && !isBid(event_data.bid)) {
      throw fieldError('bid', `a whole number from 0 to ${MAX_BID}`, event_data.bid);
    }
  },

  /** Speaking uses up the speaker's bid. */
  spoken({ sender_id }, state) {
    const before = state.hands ?? NOBODY;
    const { [sender_id]: _used, ...bids } = before.bids;
    const spoke = { ...before.spoke, [sender_id]: state.turn_count + 1 };
    return {
      ...chosen(state, sender_id, { bids, passed: before.passed, spoke }),
      ...turnTaken(state, state.active.length),
    };
  },

  given(state, metadata) {
    const { hands, active, expected_next_speaker, last_speaker_id } = state;
    const isOpening = expected_next_speaker === null && last_speaker_id === null;
    const first = isOpening ? { next: firstSpeaker(state, metadata), hands: hands ?? NOBODY } : null;
    return { ...(first ?? chosen(state, last_speaker_id, hands ?? NOBODY)), ...roundBegun(state, active.length) };
  },

  noted({ event_type, event_data: { bid }, sender_id }, state) {
    if (event_type !== RAISE || !isBid(bid) || !state.active.includes(sender_id)) return state;
    const hands = state.hands ?? NOBODY;
    return { ...state, hands: { ...hands, bids: { ...hands.bids, [sender_id]: bid } } };
  },

  /** A participant that leaves loses its bid and its waiting time, but not the number of its last turn. */
  regrouped(state) {
    const { bids, passed, spoke } = state.hands ?? NOBODY;
    return { ...state, hands: { bids: only(bids, state.active), passed: only(passed, state.active), spoke } };
  },

  tools: (_metadata, { active }, participantId) => (active.includes(participantId) ? [TOOL] : []),
  publicState: (_metadata, { hands }) => ({ bids: { ...hands?.bids } }),
};

const TOOL: TurnTool = {
  name: 'raise_hand',
  description: 'Ask for a turn: 0 = nothing to say, 9 = it cannot wait. It replaces what you bid before.',
  parameters: {
    type: 'object',
    properties: { bid: { type: 'integer', minimum: 0, maximum: MAX_BID } },
    required: ['bid'],
    additionalProperties: false,
  },
};

function isBid(bid: Json | undefined): bid is number {
  return typeof bid === 'number' && Number.isInteger(bid) && bid >= 0 && bid <= MAX_BID;
}

/** Chooses the next speaker and counts the others as passed over. A missing bid counts as 0. */
function chosen({ active }: DiscussionState, last: string | null, { bids, passed, spoke }: Hands) {
  const candidates = othersThan(active, last).map((agent_id) => ({
    agent_id,
    bid: bids[agent_id] ?? 0,
    passed: passed[agent_id] ?? 0,
    spoke: spoke[agent_id] ?? 0,
  }));
  const next = fairChoice(candidates, active.length)?.agent_id ?? null;
  const over = candidates.filter(({ agent_id }) => agent_id !== next);
  const nowPassed = Object.fromEntries(over.map((one) => [one.agent_id, one.passed + 1]));
  return { next, hands: { bids, passed: nowPassed, spoke } };
}

function only(of: Readonly<Record<string, number>>, ids: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(of).filter(([id]) => ids.includes(id)));
}

export interface Candidate {
  readonly agent_id: string;
  readonly bid: number;
  /** How many times in a row the candidate was passed over. */
  readonly passed: number;
  /** The number of the candidate's last turn; 0 = none yet. */
  readonly spoke: number;
}

/**
 * Chooses the highest bid without starving anyone: no candidate is passed over more than `active` − 1 times. If the k-th
 * longest waiting candidate can wait no longer, only the k longest waiting ones may be chosen. If participants left and
 * somebody has already waited too long, the longest waiting candidate is next.
 */
export function fairChoice(candidates: readonly Candidate[], active: number): Candidate | null {
  const waiting = candidates.toSorted((a, b) => b.passed - a.passed || a.spoke - b.spoke);
  const left = waiting.map(({ passed }, i) => active - (i + 1) - passed);
  if (left.some((times) => times < 0)) return waiting[0] ?? null;
  const tight = left.indexOf(0);
  const open = new Set(tight === -1 ? waiting : waiting.slice(0, tight + 1));
  let best: Candidate | null = null;
  for (const candidate of candidates) {
    if (open.has(candidate) && (best === null || comesBefore(candidate, best))) best = candidate;
  }
  return best;
}

/** Orders by bid, then by the longer time since the last turn; ties keep the order of places. */
function comesBefore(a: Candidate, b: Candidate): boolean {
  return a.bid === b.bid ? a.spoke < b.spoke : a.bid > b.bid;
}
