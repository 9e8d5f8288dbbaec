/** Fills in members that fixtures omit, as the corpus intends, with fixed time and ids. */

import { posix } from 'node:path';
import { engine, type GovernedConfig, type RunState, type Turn } from 'parley-hub/governed';
import { type Fixture, isMembers, type Members } from '../fixture.ts';

const { completeConfig, EMPTY_STATE } = engine;

export interface World {
  readonly config: GovernedConfig;
  readonly state: RunState;
  readonly history: readonly Members[];
  readonly ledger: readonly Members[];
  readonly files: (path: string) => string | null;
  /** undefined if no result was submitted. */
  readonly turnResult: unknown;
  readonly setup: Members;
}

/** Members of `setup` that every operation accepts. */
const KNOWN = ['state', 'config', 'turn_result', 'filesystem', 'ledger', 'history'];
const KNOWN_OF_COORDINATOR = ['coordinator_config', 'coordinator_state', 'coordinator_history', 'barriers', 'repos'];

/** Returns the first unknown member of `setup`; null if all are known. */
export function unknownSetup({ setup }: Fixture, alsoKnown: readonly string[] = []): string | null {
  const known = [...KNOWN, ...KNOWN_OF_COORDINATOR, ...alsoKnown];
  return Object.keys(setup).find((name) => !known.includes(name)) ?? null;
}

export function inflate({ setup, input }: Fixture): World {
  const config = inflatedConfig(setup.config);
  const tree = treeOf(setup.filesystem);
  return {
    config,
    state: inflatedState(membersOf(setup.state), config),
    history: recordsOf(setup.history),
    ledger: recordsOf(setup.ledger),
    files: (path) => tree.get(posix.normalize(path)) ?? null,
    turnResult: setup.turn_result ?? input.args.turn_result,
    setup,
  };
}

/** Keys files by normalised path, like a disk. */
function treeOf(given: unknown): ReadonlyMap<string, string> {
  const files = Object.entries(membersOf(given));
  return new Map(files.flatMap(([path, text]) => (typeof text === 'string' ? [[posix.normalize(path), text]] : [])));
}

function inflatedConfig(given: unknown): GovernedConfig {
  const config = membersOf(completeConfig(membersOf(given)).config);
  const roles = mapped(config.roles, (role, id) => ({
    title: id,
    mandate: id,
    write_authority: 'authoritative',
    runtime: 'manual',
    ...role,
  }));
  const runtimes = mapped(config.runtimes, (runtime) => ({ type: 'manual', ...runtime }));
  const usesManual = Object.values(roles).some(({ runtime }) => runtime === 'manual');
  // Unchecked cast: the engine checks configs.
  return {
    schema_version: '1.0',
    project: { id: 'fixture', name: 'fixture' },
    routing: {},
    gates: {},
    ...config,
    rules: { challenge_required: true, ...membersOf(config.rules) },
    roles,
    runtimes: usesManual && !Object.hasOwn(runtimes, 'manual') ? { ...runtimes, manual: { type: 'manual' } } : runtimes,
  } as unknown as GovernedConfig;
}

function inflatedState(given: Members, config: GovernedConfig): RunState {
  const turns = mapped(given.active_turns, (turn, id) => inflatedTurn(turn, id, given, config));
  const carried = given.repo_decisions;
  return {
    ...EMPTY_STATE,
    ...given,
    active_turns: turns,
    repo_decisions: Array.isArray(carried) ? carried : Object.values(membersOf(carried)),
  } as unknown as RunState;
}

function inflatedTurn(given: Members, id: string, state: Members, config: GovernedConfig): Turn {
  const role = String(given.assigned_role || given.role || 'dev');
  const runtime = Object.hasOwn(config.roles, role) ? config.roles[role]?.runtime : undefined;
  return {
    run_id: state.run_id ?? null,
    status: 'running',
    attempt: 1,
    assigned_at: null,
    started_at: null,
    deadline_at: null,
    baseline: null,
    assigned_sequence: 1,
    concurrent_with: [],
    is_dispatched: true,
    ...given,
    turn_id: id,
    assigned_role: role,
    runtime_id: String(given.runtime_id || runtime || 'manual'),
  } as Turn;
}

export type Operations = Readonly<Record<string, (world: World, args: Members) => Members>>;

export function mapped<T extends object>(
  group: unknown,
  of: (one: Members, id: string) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(membersOf(group)).map(([id, one]) => [id, of(membersOf(one), id)]));
}

export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

export function recordsOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(membersOf) : [];
}

export const NOW = '2030-01-02T03:04:05.000Z';
export const RUN_ID = 'run_00000000000000c0';
export const TURN_ID = 'turn_00000000000000c0';

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
