/** The turns that are out. */

import { own } from '../lib/unknown-record.ts';
import { type Refused, refuse } from '../../refusal.ts';
import type { RunState, Turn } from '../../run/state.ts';
import { isTurnId } from '../../turns/turn-id.ts';

type HasTurns = Pick<RunState, 'active_turns'>;

/** A state as `loadState` answers it, which may be none. */
type MayHaveTurns = Partial<HasTurns> | null | undefined;

export function getActiveTurns(state: MayHaveTurns): Readonly<Record<string, Turn>> {
  return state?.active_turns ?? {};
}

export function getActiveTurnCount(state: MayHaveTurns): number {
  return Object.keys(getActiveTurns(state)).length;
}

/** The one that is out; null if there is none, or more than one. */
export function getActiveTurn(state: MayHaveTurns): Turn | null {
  const [turn, other] = Object.values(getActiveTurns(state));
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

/** A folder that no turn can have: one name for all that names none, so that nothing of it gets into a path. */
const NO_TURN = '.invalid';

/** Relative to the root of the project, and never outside of `.agentxchain/staging`. */
export function getTurnStagingResultPath(turnId: string): string {
  return `.agentxchain/staging/${isTurnId(turnId) ? turnId : NO_TURN}/turn-result.json`;
}
