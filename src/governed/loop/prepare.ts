/** Prepares a loop: validates arguments and config, rejects runs that cannot finish, and takes the loop lock. */

import { stat } from 'node:fs/promises';
import { asError } from '../../core/lib/errors.ts';
import { artifactsOf, phaseConfig } from '../engine/config/config.ts';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import {
  allowedNextRoles,
  authorityOf,
  checkConfig,
  exitGate,
  type GovernedConfig,
  isReserved,
  phasesOf,
} from '../engine/index.ts';
import { HUMAN } from '../engine/lib/patterns.ts';
import { canonicalPath, isProductPath } from '../engine/lib/project-paths.ts';
import { isRecord } from '../engine/lib/unknown-record.ts';
import { takeLock } from '../files/lock.ts';
import { projectFiles } from '../files/read-text.ts';
import { resolveInside } from '../files/safe-path.ts';
import { createReporter, type LoopContext, type LoopPorts } from './loop-context.ts';
import type { LoopCallbacks, LoopError, LoopOptions, StopReason } from './types.ts';

export interface NotReady {
  readonly kind: 'not_ready';
  readonly stop_reason: StopReason;
  readonly errors: readonly LoopError[];
}

interface LoopInput {
  readonly root: string;
  readonly config: unknown;
  readonly callbacks: LoopCallbacks;
  readonly options: LoopOptions;
}

const DEFAULT_MAX_TURNS = 50;
const DEFAULT_GRACE_MS = 10_000;
const LOOP_LOCK: string = `${RUN_FOLDER}/locks/loop`;

export async function prepareLoop(
  ports: LoopPorts,
  given: LoopInput,
): Promise<{ readonly kind: 'ready'; readonly loop: LoopContext } | NotReady> {
  const problem = badArguments(given) ?? (await badRoot(given.root));
  if (problem !== null) return notReady('init_failed', [problem]);
  const checked = checkConfig(given.config);
  if (!checked.ok) {
    const faults = checked.faults.map(({ message }) => ({ code: 'invalid_config', message }));
    return notReady('init_failed', faults);
  }
  const { config } = checked;
  const { root, callbacks, options } = given;
  const files = projectFiles(root);
  const faults = admissionFaults(config, (path) => files(path) !== null);
  if (faults.length > 0) return notReady('admission_rejected', faults);
  const maxTurns = options.maxTurns ?? maxTurnsIn(config);
  const patience = {
    clock: ports.clock,
    signal: options.signal ?? new AbortController().signal,
    graceMs: options.abortGraceMs ?? DEFAULT_GRACE_MS,
  };
  const locked = await lockedFor(root, ports);
  if (!('lock' in locked)) return notReady('init_failed', [locked]);
  const tell = createReporter(callbacks, patience);
  const counts = { turnsExecuted: 0, gatesApproved: 0 };
  const asked = { root, config, callbacks, options, maxTurns, patience, tell };
  return { kind: 'ready', loop: { ...ports, ...asked, lock: locked.lock, records: [], ...counts } };
}

interface Problem {
  readonly code: string;
  readonly message: string;
}

function badArguments({ callbacks, options }: LoopInput): Problem | null {
  if (!isRecord(callbacks)) return { code: 'bad_callbacks', message: 'callbacks: expected an object' };
  for (const name of ['selectRole', 'dispatch', 'approveGate'] as const) {
    if (typeof callbacks[name] === 'function') continue;
    return { code: 'bad_callbacks', message: `callbacks.${name}: expected a function, got ${typeof callbacks[name]}` };
  }
  if (!isRecord(options)) return { code: 'bad_options', message: 'options: expected an object' };
  const maxTurns: unknown = options.maxTurns;
  if (maxTurns !== undefined && !(typeof maxTurns === 'number' && Number.isInteger(maxTurns) && maxTurns >= 0)) {
    return { code: 'bad_options', message: `options.maxTurns: expected a whole number from 0, got ${maxTurns}` };
  }
  for (const name of ['turnTimeoutMs', 'abortGraceMs'] as const) {
    const value = options[name];
    if (value !== undefined && !(typeof value === 'number' && value >= 0)) {
      return { code: 'bad_options', message: `options.${name}: expected milliseconds, got ${value}` };
    }
  }
  return null;
}

async function badRoot(root: unknown): Promise<Problem | null> {
  const message = `root: expected the path of an existing folder, got ${JSON.stringify(root)}`;
  if (typeof root !== 'string' || root === '') return { code: 'bad_root', message };
  const found = await stat(root).catch(() => null);
  return found?.isDirectory() === true ? null : { code: 'bad_root', message };
}

function maxTurnsIn(config: GovernedConfig): number {
  const { run_loop } = config as GovernedConfig & { readonly run_loop?: unknown };
  const most = isRecord(run_loop) ? run_loop.max_turns : undefined;
  return typeof most === 'number' && Number.isInteger(most) && most >= 0 ? most : DEFAULT_MAX_TURNS;
}

/** Allows one loop per project, because a loop dispatches active turns again. */
async function lockedFor(root: string, { clock }: LoopPorts) {
  try {
    const taken = await takeLock(await resolveInside(root, LOOP_LOCK), { owner: 'a run loop', clock });
    if (taken.ok) return taken;
    return { code: 'loop_running', message: `another loop drives this project: ${taken.error}` };
  } catch (thrown) {
    return { code: 'io_error', message: asError(thrown).message };
  }
}

function notReady(stop_reason: StopReason, problems: readonly Problem[]): NotReady {
  const errors = problems.map(({ code, message }) => ({ code, message, turn_id: null }));
  return { kind: 'not_ready', stop_reason, errors };
}

interface AdmissionFault {
  readonly code: 'file_without_producer' | 'owner_not_routed';
  readonly phase: string;
  readonly message: string;
}

/** `isThere` reports existing files, which need no producer. */
export function admissionFaults(config: GovernedConfig, isThere: (path: string) => boolean): readonly AdmissionFault[] {
  const soFar = new Set<string>();
  return phasesOf(config).flatMap((phase) => {
    const routed = routedRoles(config, phase);
    for (const role of routed) soFar.add(role);
    return [...fileFaults(config, phase, soFar, isThere), ...ownerFaults(config, phase, routed)];
  });
}

function routedRoles(config: GovernedConfig, phase: string): ReadonlySet<string> {
  const allowed = allowedNextRoles(config, phase) ?? Object.keys(config.roles);
  const entry = phaseConfig(config, phase)?.entry_role;
  return new Set([...(entry === undefined ? [] : [entry]), ...allowed].filter((role) => role !== HUMAN));
}

function fileFaults(
  config: GovernedConfig,
  phase: string,
  roles: ReadonlySet<string>,
  isThere: (path: string) => boolean,
): readonly AdmissionFault[] {
  const exit = exitGate(config, phase);
  if (exit === null) return [];
  const left = artifactsOf(config, phase).filter(({ required = true }) => required);
  const wanted = new Set([...(exit.gate?.requires_files ?? []), ...left.map(({ path }) => path)]);
  return [...wanted]
    .filter((path) => !isThere(path) && ![...roles].some((role) => mayWrite(config, role, path)))
    .map((path) => ({
      code: 'file_without_producer',
      phase,
      message: `gate ${exit.id} of ${phase} requires ${path}, but no role up to that gate may write it (${[...roles].join(', ')})`,
    }));
}

function mayWrite(config: GovernedConfig, role: string, path: string): boolean {
  const canonical = canonicalPath(path);
  if (canonical === null || isReserved(canonical)) return false;
  return authorityOf(config, role) !== 'review_only' || !isProductPath(canonical);
}

function ownerFaults(config: GovernedConfig, phase: string, routed: ReadonlySet<string>): readonly AdmissionFault[] {
  if (exitGate(config, phase) === null) return [];
  return artifactsOf(config, phase)
    .filter(({ required = true, owned_by }) => required && owned_by !== undefined && !routed.has(owned_by))
    .map(({ path, owned_by }) => ({
      code: 'owner_not_routed',
      phase,
      message: `${path} of ${phase} is owned by ${owned_by}, which gets no turns in that phase`,
    }));
}
