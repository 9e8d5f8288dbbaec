/** May the super run go on to its next phase, or end? Every blocker is told, not only the first. */

import { getOwn } from '../lib/unknown-record.ts';
import { isWorkDone, openRepos } from './barriers.ts';
import { blocker, type CoordinatorBlocker, completionBlockers, transitionBlockers } from './blockers.ts';
import { type CoordinatorConfig, coordinatorPhases } from './config.ts';
import type { Barrier, Barriers, CoordinatorState, PendingGate, RepoFacts } from './state.ts';

/** Everything a decision of the coordinator is made from. */
export interface CoordinatorView {
  readonly config: CoordinatorConfig;
  readonly state: CoordinatorState;
  readonly barriers: Barriers;
  readonly history: readonly unknown[];
  readonly repos: Readonly<Record<string, RepoFacts>>;
}

export type GateDraft = Omit<PendingGate, 'requested_at'>;

export type CoordinatorVerdict =
  | { readonly is_ready: true; readonly gate: GateDraft }
  | { readonly is_ready: false; readonly blockers: readonly CoordinatorBlocker[] };

const SHIP_GATE = 'initiative_ship';

/** `to`: the phase somebody asks for; without it the next one is meant. */
export function evaluateCoordinatorTransition(view: CoordinatorView, to?: string): CoordinatorVerdict {
  const { config, state } = view;
  const phases = coordinatorPhases(config);
  const next = phases[phases.indexOf(state.phase) + 1];
  if (next === undefined || !phases.includes(state.phase)) {
    return shut([blocker('no_next_phase', `no phase comes after "${state.phase}"`, { phase: state.phase })]);
  }
  if (to !== undefined && to !== next) {
    const message = `after "${state.phase}" comes "${next}", not "${to}"`;
    return shut([blocker('phase_skip_forbidden', message, { from: state.phase, to, next })]);
  }
  const gate = draftOf(view, 'phase_transition', `phase_transition:${state.phase}->${next}`, next);
  const found = barriersOf(view, (phase) => phase === state.phase);
  return verdict(gate, found, transitionBlockers(view, gate.required_repos));
}

export function evaluateCoordinatorCompletion(view: CoordinatorView): CoordinatorVerdict {
  const { config, state } = view;
  const last = coordinatorPhases(config).at(-1);
  if (state.phase !== last) {
    const message = `the super run is in "${state.phase}"; it ends in "${last}"`;
    return shut([blocker('not_final_phase', message, { phase: state.phase, final_phase: last })]);
  }
  const gate = draftOf(view, 'run_completion', SHIP_GATE, null);
  return verdict(
    gate,
    barriersOf(view, () => true),
    completionBlockers(view, gate.required_repos),
  );
}

function draftOf(
  { config, state }: CoordinatorView,
  gate_type: GateDraft['gate_type'],
  gate: string,
  to: string | null,
): GateDraft {
  const declared = getOwn(config.gates, gate);
  const required = Object.keys(config.repos).filter((id) => config.repos[id]?.required !== false);
  return {
    gate_type,
    gate,
    from: state.phase,
    to,
    required_repos: declared?.requires_repos ?? required,
    human_barriers: [],
    requires_human_approval: declared?.requires_human_approval ?? true,
  };
}

interface BarriersFound {
  readonly human: readonly string[];
  readonly blockers: readonly CoordinatorBlocker[];
}

function barriersOf({ config, barriers }: CoordinatorView, isAsked: (phase: string) => boolean): BarriersFound {
  const human: string[] = [];
  const blockers: CoordinatorBlocker[] = [];
  for (const [workstream_id, { phase }] of Object.entries(config.workstreams)) {
    if (!isAsked(phase)) continue;
    const its = Object.entries(barriers).filter(([, one]) => one.workstream_id === workstream_id);
    if (its.length === 0) {
      blockers.push(blocker('barrier_missing', `workstream "${workstream_id}" has no barrier`, { workstream_id }));
    }
    for (const [barrier_id, one] of its) {
      const isShut = one.type !== 'shared_human_gate' && one.status !== 'satisfied';
      if (isShut || !isWorkDone(one)) blockers.push(unsatisfied(barrier_id, one));
      else if (one.status !== 'satisfied') human.push(barrier_id);
    }
  }
  return { human, blockers };
}

function unsatisfied(barrier_id: string, barrier: Barrier): CoordinatorBlocker {
  const { workstream_id, status } = barrier;
  const open_repos = openRepos(barrier);
  const message = `barrier "${barrier_id}" of workstream "${workstream_id}" is ${status}; it waits for ${open_repos.join(', ')}`;
  return blocker('barrier_unsatisfied', message, { barrier_id, workstream_id, status, open_repos });
}

function verdict(
  gate: GateDraft,
  { human, blockers }: BarriersFound,
  others: readonly CoordinatorBlocker[],
): CoordinatorVerdict {
  const all = [...others, ...blockers];
  return all.length > 0 ? shut(all) : { is_ready: true, gate: { ...gate, human_barriers: human } };
}

function shut(blockers: readonly CoordinatorBlocker[]): CoordinatorVerdict {
  return { is_ready: false, blockers };
}
