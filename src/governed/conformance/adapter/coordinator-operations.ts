/** Implements conformance operations of the coordinator; fills in members that fixtures omit. */

import { type Barriers, type CoordinatorConfig, type CoordinatorState, engine } from 'parley-hub/governed';
import type { Members } from '../fixture.ts';
import { mapped, membersOf, NOW, type Operations, recordsOf, type World } from './inflate.ts';

const { checkCoordinatorConfig, digestOf, projectAcceptance } = engine;

export const COORDINATOR_OPERATIONS: Operations = {
  validate_coordinator_config: validateCoordinatorConfig,
  project_repo_acceptance: projectRepoAcceptance,
};

/** Checks the config as given, without filling in defaults. */
function validateCoordinatorConfig({ setup }: World): Members {
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

function projectRepoAcceptance({ setup }: World, args: Members): Members {
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

function inflateCoordinator(setup: Members) {
  const given = membersOf(setup.coordinator_config);
  const workstreams = mapped(given.workstreams, (one) => ({ depends_on: [], ...one, repos: textsOf(one.repos) }));
  const repos = mapped(given.repos, (one, id) => ({ path: id, ...one }));
  // Unchecked cast: only validateCoordinatorConfig checks configs.
  const config = { project: { id: 'fixture' }, ...given, repos, workstreams } as unknown as CoordinatorConfig;
  return {
    config,
    state: inflatedState(setup),
    barriers: inflatedBarriers(setup.barriers, config),
    history: recordsOf(setup.coordinator_history),
  };
}

/** Links repos without a declared run to their current run; takes a missing super run id from the history. */
function inflatedState(setup: Members): CoordinatorState {
  const given = membersOf(setup.coordinator_state);
  const named = recordsOf(setup.coordinator_history).find(({ super_run_id }) => typeof super_run_id === 'string');
  const at = mapped(setup.repos, ({ state }) => ({ run_id: membersOf(state).run_id, status: 'linked' }));
  return {
    super_run_id: named?.super_run_id ?? 'srun_fixture',
    status: 'active',
    phase: 'implementation',
    pending_gate: null,
    phase_gate_status: {},
    ...given,
    repo_runs: { ...at, ...membersOf(given.repo_runs) },
  } as unknown as CoordinatorState;
}

function inflatedBarriers(given: unknown, { workstreams }: CoordinatorConfig): Barriers {
  return mapped(given, (one) => {
    const id = String(one.workstream_id);
    const workstream = Object.hasOwn(workstreams, id) ? workstreams[id] : undefined;
    return {
      type: workstream?.completion_barrier,
      status: 'pending',
      ...one,
      required_repos: Array.isArray(one.required_repos) ? textsOf(one.required_repos) : (workstream?.repos ?? []),
      satisfied_repos: textsOf(one.satisfied_repos),
    };
  }) as unknown as Barriers;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
