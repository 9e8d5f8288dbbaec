/** Three repos and two workstreams, for tests of the coordinator. */

import {
  type Barriers,
  beginSuperRun,
  type CoordinatorConfig,
  type CoordinatorState,
  type CoordinatorView,
  type Projected,
  projectAcceptance,
  type RepoFacts,
} from 'parley-hub/governed/engine';
import { expect } from 'vitest';

export const NOW = '2030-01-02T03:04:05.000Z';
export const REPOS = ['quay', 'crane', 'buoy'] as const;

type Workstream = CoordinatorConfig['workstreams'][string];

export function harbour(berths: Partial<Workstream> = {}, more: Partial<CoordinatorConfig> = {}): CoordinatorConfig {
  return {
    schema_version: '0.1',
    project: { id: 'harbour', name: 'Harbour' },
    repos: { quay: { path: './quay' }, crane: { path: './crane' }, buoy: { path: './buoy', required: false } },
    workstreams: {
      berths: {
        phase: 'planning',
        repos: ['quay', 'crane'],
        entry_repo: 'quay',
        completion_barrier: 'all_repos_accepted',
        ...berths,
      },
      lights: {
        phase: 'planning',
        repos: ['buoy'],
        entry_repo: 'buoy',
        depends_on: ['berths'],
        completion_barrier: 'all_repos_accepted',
      },
    },
    routing: { planning: {}, qa: {} },
    ...more,
  };
}

export function repo(
  id: string,
  state: Partial<NonNullable<RepoFacts['state']>> = {},
  turns: RepoFacts['accepted'] = [],
): RepoFacts {
  return {
    state: { run_id: `run_${id}`, status: 'active', phase: 'planning', active_turns: {}, ...state },
    accepted: turns,
  };
}

export interface Given {
  readonly config?: CoordinatorConfig;
  readonly state?: Partial<CoordinatorState>;
  readonly barriers?: Barriers;
  readonly history?: readonly unknown[];
  readonly repos?: Readonly<Record<string, RepoFacts>>;
}

export function viewOf({ config = harbour(), state, barriers, history, repos }: Given = {}): CoordinatorView {
  const repoRuns = Object.fromEntries(
    REPOS.map((id) => [id, { run_id: `run_${id}`, status: 'linked', phase: 'planning' }]),
  );
  const begun = beginSuperRun(config, { superRunId: 'srun_1', repoRuns, now: NOW });
  return {
    config,
    state: { ...begun.state, ...state },
    barriers: barriers ?? begun.barriers,
    history: history ?? begun.history,
    repos: { ...Object.fromEntries(REPOS.map((id) => [id, repo(id)])), ...repos },
  };
}

/** After a turn of each of these was projected. */
export function having(
  view: CoordinatorView,
  ...turns: readonly (readonly [repo: string, workstream: string, ...decisions: string[]])[]
): CoordinatorView {
  let now = view;
  for (const [repoId, workstreamId, ...decisions] of turns) {
    const turn_id = `turn_${repoId}_${now.history.length}`;
    const turn = { turn_id, summary: 'Done', files_changed: ['src/a.ts'], decisions };
    const outcome = projected(now, repoId, workstreamId, turn);
    now = { ...now, barriers: outcome.barriers, history: [...now.history, ...outcome.history] };
  }
  return now;
}

export function projected(view: CoordinatorView, repoId: string, workstreamId: string, turn: unknown): Projected {
  const outcome = projectAcceptance({ ...view, repoId, workstreamId, turn, now: NOW });
  expect(outcome).toMatchObject({ ok: true });
  return outcome as Projected;
}
