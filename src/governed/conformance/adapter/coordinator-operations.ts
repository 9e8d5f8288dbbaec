/** A super run as a fixture describes it, with what fixtures leave out. */

import type { Barriers, CoordinatorConfig, CoordinatorState } from 'parley-hub/governed';
import type { Members } from '../../../node/conformance/members.ts';
import { mapped, membersOf, recordsOf } from './inflate.ts';

export interface CoordinatorWorld {
  readonly config: CoordinatorConfig;
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  readonly history: readonly Members[];
}

export function inflateCoordinator(setup: Members): CoordinatorWorld {
  const given = membersOf(setup.coordinator_config);
  const workstreams = mapped(given.workstreams, (one) => ({ depends_on: [], ...one, repos: textsOf(one.repos) }));
  const repos = mapped(given.repos, (one, id) => ({ path: id, ...one }));
  // Whether it is a config is another operation's question.
  const config = { project: { id: 'fixture' }, ...given, repos, workstreams } as unknown as CoordinatorConfig;
  return {
    config,
    state: inflatedState(setup),
    barriers: inflatedBarriers(setup.barriers, config),
    history: recordsOf(setup.coordinator_history),
  };
}

/** A repo that is not linked is linked with the run it is at; a super run without a name is the one the history is of. */
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
