/** What a loop needs before it begins: arguments that hold, a run that can come to its end, and the project to itself. */

import { stat } from 'node:fs/promises';
import { asError } from '../../core/lib/errors.ts';
import { RUN_FOLDER } from '../engine/dispatch/paths.ts';
import { checkConfig, type GovernedConfig } from '../index.ts';
import { isRecord } from '../engine/lib/unknown-record.ts';
import { takeLock } from '../files/lock.ts';
import { filesOf } from '../files/read-text.ts';
import { placeIn } from '../../node/governed/safe-place.ts';
import { admissionFaults } from '../../node/governed/loop/admission.ts';
import type { Journey, LoopPorts } from '../../node/governed/loop/journey.ts';
import { tellerOf } from '../../node/governed/loop/tell.ts';
import type { LoopCallbacks, LoopError, LoopOptions, StopReason } from './types.ts';

export interface NotReady {
  readonly kind: 'not_ready';
  readonly stop_reason: StopReason;
  readonly errors: readonly LoopError[];
}

export interface Given {
  readonly root: string;
  readonly config: unknown;
  readonly callbacks: LoopCallbacks;
  readonly options: LoopOptions;
}

const DEFAULT_MAX_TURNS = 50;
const DEFAULT_GRACE_MS = 10_000;
export const LOOP_LOCK: string = `${RUN_FOLDER}/locks/loop`;

export async function readied(
  ports: LoopPorts,
  given: Given,
): Promise<{ readonly kind: 'ready'; readonly journey: Journey } | NotReady> {
  const problem = badArguments(given) ?? (await badRoot(given.root));
  if (problem !== null) return notReady('init_failed', [problem]);
  const checked = checkConfig(given.config);
  if (!checked.ok) {
    return notReady(
      'init_failed',
      checked.faults.map(({ message }) => ({ code: 'invalid_config', message })),
    );
  }
  const { config } = checked;
  const { root, callbacks, options } = given;
  const files = filesOf(root);
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
  const tell = tellerOf(callbacks, patience);
  const counts = { turnsExecuted: 0, gatesApproved: 0 };
  const asked = { root, config, callbacks, options, maxTurns, patience, tell };
  return { kind: 'ready', journey: { ...ports, ...asked, lock: locked.lock, records: [], ...counts } };
}

interface Problem {
  readonly code: string;
  readonly message: string;
}

function badArguments({ callbacks, options }: Given): Problem | null {
  if (!isRecord(callbacks)) return { code: 'bad_callbacks', message: 'callbacks: expected an object' };
  for (const name of ['selectRole', 'dispatch', 'approveGate'] as const) {
    if (typeof callbacks[name] !== 'function') {
      return {
        code: 'bad_callbacks',
        message: `callbacks.${name}: expected a function, got ${typeof callbacks[name]}`,
      };
    }
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
  const message = `root: expected the path of a folder that is there, got ${JSON.stringify(root)}`;
  if (typeof root !== 'string' || root === '') return { code: 'bad_root', message };
  const found = await stat(root).catch(() => null);
  return found?.isDirectory() === true ? null : { code: 'bad_root', message };
}

function maxTurnsIn(config: GovernedConfig): number {
  const { run_loop } = config as GovernedConfig & { readonly run_loop?: unknown };
  const most = isRecord(run_loop) ? run_loop.max_turns : undefined;
  return typeof most === 'number' && Number.isInteger(most) && most >= 0 ? most : DEFAULT_MAX_TURNS;
}

/** A turn that is out is given out again only if nobody is at it: so one loop at a time. */
async function lockedFor(root: string, { clock }: LoopPorts) {
  try {
    const taken = await takeLock(await placeIn(root, LOOP_LOCK), { owner: 'a run loop', clock });
    if (taken.ok) return taken;
    return { code: 'loop_running', message: `another loop works on this project: ${taken.error}` };
  } catch (thrown) {
    return { code: 'io_error', message: asError(thrown).message };
  }
}

function notReady(stop_reason: StopReason, problems: readonly Problem[]): NotReady {
  const errors = problems.map(({ code, message }) => ({ code, message, turn_id: null }));
  return { kind: 'not_ready', stop_reason, errors };
}
