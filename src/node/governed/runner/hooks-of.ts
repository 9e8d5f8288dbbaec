/** Hooks of the run's config, run with what this runner has. */

import type { Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { type HooksRun, runHooks } from '../../../governed/hooks/run-hooks.ts';
import { type Running, stateOf } from './open-run.ts';

export async function hooksOf(running: Running, phase: string, payload: Unknowns): Promise<HooksRun> {
  const { root, config, means } = running;
  const turn_id = typeof payload.turn_id === 'string' ? payload.turn_id : null;
  return runHooks(root, config.hooks, phase, payload, {
    run_id: stateOf(running).run_id,
    turn_id,
    variables: means.variables,
  });
}
