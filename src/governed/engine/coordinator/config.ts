/** Defines the config of a coordinator of several repos (`agentxchain-multi.json`). */

export const COORDINATOR_VERSION = '0.1';

/** Used if `routing` names no phase. */
const DEFAULT_PHASES = ['planning', 'implementation', 'qa'] as const;

export const BARRIER_TYPES = [
  'all_repos_accepted',
  'interface_alignment',
  'named_decisions',
  'ordered_repo_sequence',
  'shared_human_gate',
] as const;
export type BarrierType = (typeof BARRIER_TYPES)[number];

/** Barriers that wait for the decisions listed in the workstream under the barrier's name. */
export const DECISION_BARRIERS = ['interface_alignment', 'named_decisions'] as const;
export type DecisionBarrier = (typeof DECISION_BARRIERS)[number];

export type IdsByRepo = Readonly<Record<string, readonly string[]>>;

export interface RepoConfig {
  /** Relative to the coordinator's folder. */
  readonly path: string;
  readonly default_branch?: string;
  /** If true (default), gates wait for this repo. */
  readonly required?: boolean;
}

export interface Workstream {
  readonly phase: string;
  /** In an `ordered_repo_sequence`, also the order of the repos. */
  readonly repos: readonly string[];
  readonly entry_repo: string;
  readonly depends_on?: readonly string[];
  readonly completion_barrier: BarrierType;
  readonly interface_alignment?: { readonly decision_ids_by_repo: IdsByRepo };
  readonly named_decisions?: { readonly decision_ids_by_repo: IdsByRepo };
}

export interface CoordinatorGate {
  /** Default: true. */
  readonly requires_human_approval?: boolean;
  /** Default: the required repos. */
  readonly requires_repos?: readonly string[];
}

export interface CoordinatorConfig {
  readonly schema_version: string;
  readonly project: { readonly id: string; readonly name?: string };
  readonly repos: Readonly<Record<string, RepoConfig>>;
  readonly workstreams: Readonly<Record<string, Workstream>>;
  /** The key order is the phase order. */
  readonly routing?: Readonly<Record<string, { readonly entry_workstream?: string }>>;
  readonly gates?: Readonly<Record<string, CoordinatorGate>>;
  readonly hooks?: Readonly<Record<string, unknown>>;
}

export function coordinatorPhases({ routing }: { readonly routing?: object | undefined }): readonly string[] {
  const named = Object.keys(routing ?? {});
  return named.length > 0 ? named : DEFAULT_PHASES;
}
