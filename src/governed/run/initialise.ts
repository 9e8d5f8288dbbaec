/** idle → active: a run begins, with an id of its own and the first phase. */

import { checkConfig } from '../engine/config/check.ts';
import { firstPhase } from '../config/phases.ts';
import { eventOf } from '../events/draft.ts';
import type { Unknowns } from '../engine/lib/unknown-record.ts';
import { type Changed, type Refused, refuse } from '../refusal.ts';
import { moved, refusedMove } from '../engine/run/moves.ts';
import type { RunState } from './state.ts';

export interface Beginning {
  readonly runId: string;
  readonly now: string;
  readonly provenance?: Unknowns | null;
  readonly inheritedContext?: Unknowns | null;
}

export function initialiseRun(state: RunState, config: unknown, beginning: Beginning): Changed | Refused {
  const checked = checkConfig(config);
  if (!checked.ok) {
    const [{ message, error_type, error_field }] = checked.faults;
    return refuse('invalid_config', error_type, message, { error_field, faults: checked.faults });
  }
  const refused = refusedMove(state, 'initialize_run');
  if (refused !== null) return refused;
  const { runId, now, provenance = null, inheritedContext = null } = beginning;
  const limit = checked.config.budget?.per_run_max_usd ?? null;
  const next: RunState = {
    ...moved(state, 'initialize_run'),
    run_id: runId,
    project_id: checked.config.project?.id ?? state.project_id,
    phase: state.phase ?? firstPhase(checked.config),
    blocked_on: null,
    blocked_reason: null,
    escalation: null,
    budget_status: limit === null ? state.budget_status : { spent_usd: 0, remaining_usd: limit },
    created_at: now,
    phase_entered_at: now,
    completed_at: null,
    provenance,
    inherited_context: inheritedContext,
  };
  return { ok: true, state: next, events: [eventOf('run_started', next, now), eventOf('phase_entered', next, now)] };
}
