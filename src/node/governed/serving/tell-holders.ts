/** A turn that was out before its run came into this session is told to whoever holds its role here: it goes out anew, as the same try. */

import { own } from '../../../governed/engine/lib/unknown-record.ts';
import type { OpenRun } from '../runner/open-run.ts';
import { performIn } from '../../../governed/runner/run-operation.ts';

/** Throws what the run refuses; what was told by then stays so. */
export async function tellHolders(run: OpenRun, roles: Readonly<Record<string, string>>): Promise<void> {
  for (const turnId of untold(run, roles)) {
    await performIn(run, 'transitionActiveTurnLifecycle', { turnId, step: 'stalled' });
    await performIn(run, 'writeDispatchBundle', { config: undefined, options: { turnId } });
  }
}

function untold({ logs: { current } }: OpenRun, roles: Readonly<Record<string, string>>): readonly string[] {
  if (current === null || !current.isOpen) return [];
  const { state, events } = current.record;
  if (state.run.status !== 'active') return [];
  // The events of this session alone: who was told elsewhere has heard nothing here.
  const told = new Set(events.map(({ event_type, turn }) => event_type === 'turn_dispatched' && turn?.turn_id));
  return Object.values(state.run.active_turns)
    .filter(({ assigned_role }) => own(roles, assigned_role) !== undefined)
    .filter(({ status }) => status === 'dispatched' || status === 'starting' || status === 'running')
    .map(({ turn_id }) => turn_id)
    .filter((id) => !told.has(id));
}
