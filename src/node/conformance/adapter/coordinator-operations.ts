/** Operations of the coordinator: its config, and what a repo has accepted. */

import { engine } from 'parley-hub/governed';
import type { Members } from '../members.ts';
import { inflateCoordinator } from '../../../governed/conformance/adapter/coordinator-operations.ts';
import { NOW } from './given.ts';
import type { World } from '../../../governed/conformance/adapter/inflate.ts';

const { checkCoordinatorConfig, digestOf, projectAcceptance } = engine;

/** The config as it stands: nothing is filled in before it is checked. */
export function validateCoordinatorConfig({ setup }: World): Members {
  const checked = checkCoordinatorConfig(setup.coordinator_config);
  if (checked.ok) return { result: 'success', errors: [] };
  const [first] = checked.faults;
  return {
    result: 'error',
    error_type: checked.error_type,
    error_code: first?.code,
    error_field: first?.field,
    errors: checked.faults.map(({ message }) => message),
  };
}

export function projectRepoAcceptance({ setup }: World, args: Members): Members {
  const { config, state, barriers, history } = inflateCoordinator(setup);
  const before = digestOf([barriers, history]);
  const { repo_id: repoId, workstream_id: workstreamId, accepted_turn: turn } = args;
  const outcome = projectAcceptance({ config, state, barriers, history, repoId, workstreamId, turn, now: NOW });
  const after = outcome.ok ? outcome : { barriers, history: [], barrier_ledger: [] };
  const lines = [...history, ...after.history];
  const seen = {
    barrier_snapshot: after.barriers,
    barrier_ledger: after.barrier_ledger,
    history_length: lines.length,
    history_last_entry: lines.at(-1) ?? null,
    state_unchanged: digestOf([after.barriers, lines]) === before,
  };
  if (!outcome.ok) {
    const { error_type, error_code, error, params } = outcome;
    return { result: 'error', error_type, error_code, error, params, ...seen };
  }
  const { projection_ref, is_new, barrier_effects, context_invalidations } = outcome;
  return { result: 'success', projection_ref, is_new, barrier_effects, context_invalidations, ...seen };
}
