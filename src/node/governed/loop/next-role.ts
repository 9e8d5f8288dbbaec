/** Whose turn it is when nobody has an opinion: what was handed on, then who was named, then who begins the phase. */

import { mayComeNext, phaseConfig, roleConfig } from '../../../governed/config/phases.ts';
import type { GovernedConfig, RunState } from '../../../governed/index.ts';
import { HUMAN } from '../../../governed/engine/lib/patterns.ts';

/** null = nobody; with turns out, nobody beside them but those to whom work was handed on. */
export function nextRole(state: RunState, config: GovernedConfig): string | null {
  const busy = new Set(Object.values(state.active_turns).map(({ assigned_role }) => assigned_role));
  const handedOn = state.delegation_queue.filter(({ status }) => status === 'pending').map(({ to_role }) => to_role);
  const { pending_delegation_review: review, next_recommended_role: named } = state;
  const entry = phaseConfig(config, state.phase)?.entry_role;
  const first = [review?.parent_role, ...handedOn];
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
