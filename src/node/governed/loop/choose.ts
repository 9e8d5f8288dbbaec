/** Which turns are worked on next: those that are out already, then new ones as far as there is room. */

import { getActiveTurnCount, getMaxConcurrentTurns, type RunState, type Turn } from '../../../governed/index.ts';
import { isFilled } from '../../../governed/engine/lib/unknown-record.ts';
import { failedAt, isAborted, type Journey, type Stop, stop } from './journey.ts';
import { settled } from './settled.ts';

export type Chosen = { readonly turns: readonly Turn[] } | Stop;

export async function chooseTurns(journey: Journey, given: RunState): Promise<Chosen> {
  const left = journey.maxTurns - journey.turnsExecuted;
  const out = Object.values(given.active_turns).slice(0, left);
  const turns = [...out];
  let state = given;
  while (turns.length < left && getActiveTurnCount(state) < getMaxConcurrentTurns(journey.config, state.phase)) {
    const role = await roleFrom(journey, state);
    if (typeof role === 'object' && role !== null) return turns.length === 0 ? role : { turns };
    if (role === null) return turns.length === 0 ? callerStopped(journey, state) : { turns };
    const hasTurn = Object.values(state.active_turns).some(({ assigned_role }) => assigned_role === role);
    // With turns out, the same answer again means that nobody else is wanted beside them.
    if (hasTurn && turns.length > 0) return { turns };
    const assigned = await journey.runner.assignTurn(journey.root, journey.config, role);
    if (!assigned.ok) {
      const failed = failedAt(journey, assigned);
      return turns.length === 0 ? failed : { turns };
    }
    state = assigned.state;
    turns.push(assigned.turn);
    await journey.tell.event({ type: 'turn_assigned', turn: assigned.turn, role, state });
  }
  return { turns };
}

async function roleFrom(
  { callbacks, config, patience, tell, ...rest }: Journey,
  state: RunState,
): Promise<string | null | Stop> {
  const said = await settled(() => callbacks.selectRole(state, config), patience);
  if (isAborted({ callbacks, config, patience, tell, ...rest })) return stop('aborted');
  if (said.kind === 'threw') {
    tell.problem('callback_threw', `selectRole: ${said.error.message}`);
    return stop('caller_stopped', false);
  }
  const role: unknown = said.kind === 'done' ? said.value : null;
  if (role === null || role === undefined) return null;
  if (isFilled(role)) return role;
  tell.problem('bad_role', `selectRole: expected the name of a role or null, got ${typeof role}`);
  return stop('caller_stopped', false);
}

async function callerStopped(journey: Journey, state: RunState): Promise<Stop> {
  await journey.tell.event({ type: 'caller_stopped', state });
  return stop('caller_stopped');
}
