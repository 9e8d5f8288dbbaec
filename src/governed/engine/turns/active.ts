/** Finds the active turns of a run. */

import { isTurnId } from '../lib/patterns.ts';
import { getOwn } from '../lib/unknown-record.ts';
import { type Refused, refuse } from '../run/moves.ts';
import type { RunState, Turn } from '../state/state.ts';

type HasTurns = Pick<RunState, 'active_turns'>;

/** Result of `loadState`, which may be no state. */
type MayHaveTurns = Partial<HasTurns> | null | undefined;

export function getActiveTurns(state: MayHaveTurns): Readonly<Record<string, Turn>> {
  return state?.active_turns ?? {};
}

export function getActiveTurnCount(state: MayHaveTurns): number {
  return Object.keys(getActiveTurns(state)).length;
}

/** Returns null if no turn or more than one turn is active. */
export function getActiveTurn(state: MayHaveTurns): Turn | null {
  const [turn, other] = Object.values(getActiveTurns(state));
  return other === undefined ? (turn ?? null) : null;
}

export function findActiveTurn({ active_turns }: HasTurns, turnId: string): Turn | null {
  return getOwn(active_turns, turnId) ?? null;
}

export function turnNotActive(turnId: string): Refused {
  return refuse('turn_not_active', 'turn_not_active', `turn ${turnId} is not active`, { turn_id: turnId });
}

export function withTurn(state: RunState, turn: Turn): RunState {
  return { ...state, active_turns: { ...state.active_turns, [turn.turn_id]: turn } };
}

/** Folder name for every invalid id, so that no part of such an id gets into a path. */
const NO_TURN = '.invalid';

/** Relative to the project, always inside `.agentxchain/staging`. */
export function getTurnStagingResultPath(turnId: string): string {
  return `.agentxchain/staging/${isTurnId(turnId) ? turnId : NO_TURN}/turn-result.json`;
}
