/** Which turn a call is about. */

import { getActiveTurn, getActiveTurnCount, type RunState, type Turn } from '../../../governed/index.ts';
import { own } from '../../../governed/engine/lib/unknown-record.ts';
import { checkTurnId } from '../safe-place.ts';
import { badArgument, RunnerRefusal } from '../../../governed/runner/contract/failure.ts';
import type { Running } from './open-run.ts';

/** Throws unless it is out; without an id, unless exactly one is. */
export function turnAsked({ log }: Running, turnId: unknown): Turn {
  const { run, books } = log.record.state;
  if (turnId === undefined || turnId === null) return onlyTurn(run);
  if (typeof turnId !== 'string') throw badArgument('turnId', 'the id of a turn', turnId);
  checkTurnId(turnId);
  const turn = own(run.active_turns, turnId);
  if (turn !== undefined) return turn;
  const details = { turn_id: turnId };
  if (books.turns.includes(turnId)) {
    const error = `turn ${turnId} was accepted before`;
    throw new RunnerRefusal('turn_already_accepted', error, { error_type: 'turn_already_accepted', details });
  }
  const error = `turn ${turnId} is not out`;
  throw new RunnerRefusal('turn_not_active', error, { error_type: 'turn_not_active', details });
}

function onlyTurn(run: RunState): Turn {
  const turn = getActiveTurn(run);
  if (turn !== null) return turn;
  const count = getActiveTurnCount(run);
  if (count === 0) throw new RunnerRefusal('not_found', `no turn of run ${run.run_id} is out`);
  const out = Object.keys(run.active_turns);
  const error = `${count} turns are out (${out.join(', ')}): say which by turnId`;
  throw new RunnerRefusal('target_required', error, { details: { turns: out } });
}
