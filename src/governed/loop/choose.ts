/** Chooses the turns of the next round. */

import { mayComeNext, phaseConfig, roleConfig } from '../engine/config/config.ts';
import {
  type GovernedConfig,
  getActiveTurnCount,
  getMaxConcurrentTurns,
  type RunState,
  type Turn,
} from '../engine/index.ts';
import { HUMAN } from '../engine/lib/patterns.ts';
import { isNonEmptyText } from '../engine/lib/unknown-record.ts';
import { failedAt, isAborted, type LoopContext, type Stop, settleWithin, stop } from './loop-context.ts';

export type Chosen = { readonly turns: readonly Turn[] } | Stop;

export async function chooseTurns(loop: LoopContext, given: RunState): Promise<Chosen> {
  const left = loop.maxTurns - loop.turnsExecuted;
  const out = Object.values(given.active_turns).slice(0, left);
  const turns = [...out];
  let state = given;
  while (turns.length < left && getActiveTurnCount(state) < getMaxConcurrentTurns(loop.config, state.phase)) {
    const role = await roleFrom(loop, state);
    if (typeof role === 'object' && role !== null) return turns.length === 0 ? role : { turns };
    if (role === null) return turns.length === 0 ? callerStopped(loop, state) : { turns };
    const hasTurn = Object.values(state.active_turns).some(({ assigned_role }) => assigned_role === role);
    // While turns are active, a role that already has a turn means that no further turn is wanted.
    if (hasTurn && turns.length > 0) return { turns };
    const assigned = await loop.runner.assignTurn(loop.root, loop.config, role);
    if (!assigned.ok) {
      const failed = failedAt(loop, assigned);
      return turns.length === 0 ? failed : { turns };
    }
    state = assigned.state;
    turns.push(assigned.turn);
    await loop.tell.event({ type: 'turn_assigned', turn: assigned.turn, role, state });
  }
  return { turns };
}

async function roleFrom(loop: LoopContext, state: RunState): Promise<string | null | Stop> {
  const { callbacks, config, patience, tell } = loop;
  const said = await settleWithin(() => callbacks.selectRole(state, config), patience);
  if (isAborted(loop)) return stop('aborted');
  if (said.kind === 'threw') {
    tell.problem('callback_threw', `selectRole: ${said.error.message}`);
    return stop('caller_stopped', false);
  }
  const role: unknown = said.kind === 'done' ? said.value : null;
  if (role === null || role === undefined) return null;
  if (isNonEmptyText(role)) return role;
  tell.problem('bad_role', `selectRole: expected the name of a role or null, got ${typeof role}`);
  return stop('caller_stopped', false);
}

async function callerStopped(loop: LoopContext, state: RunState): Promise<Stop> {
  await loop.tell.event({ type: 'caller_stopped', state });
  return stop('caller_stopped');
}

/** Returns null if no role is free. While turns are active, offers only delegations and their reviews. */
export function nextRole(state: RunState, config: GovernedConfig): string | null {
  const busy = new Set(Object.values(state.active_turns).map(({ assigned_role }) => assigned_role));
  const delegated = state.delegation_queue.filter(({ status }) => status === 'pending').map(({ to_role }) => to_role);
  const { pending_delegation_review: review, next_recommended_role: named } = state;
  const entry = phaseConfig(config, state.phase)?.entry_role;
  const first = [review?.parent_role, ...delegated];
  const wanted = busy.size > 0 ? first : [...first, named, entry, ...Object.keys(config.roles)];
  return wanted.find((role) => isFree(role, { state, config, busy })) ?? null;
}

interface Where {
  readonly state: RunState;
  readonly config: GovernedConfig;
  readonly busy: ReadonlySet<string>;
}

function isFree(role: string | null | undefined, { state, config, busy }: Where): role is string {
  if (role === null || role === undefined || role === HUMAN || busy.has(role)) return false;
  if (roleConfig(config, role) === null) return false;
  const isEntry = phaseConfig(config, state.phase)?.entry_role === role;
  return isEntry || mayComeNext(config, state.phase, role);
}
