/** The turns that are out. */

import { own } from '../record.ts';
import { type Refused, refuse } from '../refusal.ts';
import type { RunState, Turn } from '../run/state.ts';

type HasTurns = Pick<RunState, 'active_turns'>;

export function getActiveTurns({ active_turns }: HasTurns): Readonly<Record<string, Turn>> {
  return active_turns;
}

export function getActiveTurnCount({ active_turns }: HasTurns): number {
  return Object.keys(active_turns).length;
}

/** The one that is out; null if there is none, or more than one. */
export function getActiveTurn({ active_turns }: HasTurns): Turn | null {
  const [turn, other] = Object.values(active_turns);
  return other === undefined ? (turn ?? null) : null;
}

export function turnOut({ active_turns }: HasTurns, turnId: string): Turn | null {
  return own(active_turns, turnId) ?? null;
}

export function notOut(turnId: string): Refused {
  return refuse('turn_not_active', 'turn_not_active', `turn ${turnId} is not out`, { turn_id: turnId });
}

export function withTurn(state: RunState, turn: Turn): RunState {
  return { ...state, active_turns: { ...state.active_turns, [turn.turn_id]: turn } };
}

/** Relative to the root of the project. */
export function getTurnStagingResultPath(turnId: string): string {
  return `.agentxchain/staging/${turnId}/turn-result.json`;
}
