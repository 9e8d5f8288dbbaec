/** What to do next, by how a run stands: mostly what to type. */

import { type GovernedConfig, getTurnStagingResultPath, type RunState, type Turn } from '../../../governed/index.ts';
import { nextRole } from '../../governed/loop/next-role.ts';

/** What was handed in for a turn: nothing, something that is not whole, or a result. */
export type Handed = 'nothing' | 'not_whole' | 'ready';

export function nextSteps(
  state: RunState | null,
  config: GovernedConfig,
  handed: (turnId: string) => Handed = () => 'nothing',
): readonly string[] {
  if (state === null) return ['parley run init'];
  switch (state.status) {
    case 'idle':
      return ['parley run init'];
    case 'paused':
      return ['parley run approve'];
    case 'blocked':
      return ['parley run resolve --note "what was done about it"'];
    case 'completed':
      return ['parley run history', 'parley run init --new'];
    case 'failed':
      return ['parley run init --new'];
    case 'active':
      return active(state, config, handed);
  }
}

function active(state: RunState, config: GovernedConfig, handed: (turnId: string) => Handed): readonly string[] {
  const out = Object.values(state.active_turns);
  if (out.length > 0) return out.map((turn) => ofTurn(turn, handed(turn.turn_id)));
  const role = nextRole(state, config);
  return [...(role === null ? [] : [`parley run assign ${role}`]), 'parley run loop'];
}

function ofTurn({ turn_id, status, assigned_role }: Turn, handed: Handed): string {
  const accept = `parley run accept ${turn_id}`;
  if (handed === 'ready') return accept;
  const isOut = status === 'dispatched' || status === 'starting' || status === 'running';
  return isOut ? `write ${getTurnStagingResultPath(turn_id)}, then: ${accept}` : `parley run assign ${assigned_role}`;
}
