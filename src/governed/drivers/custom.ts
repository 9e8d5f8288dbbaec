/** Loads a driver from the project or its packages. Turns errors, bad answers and hangs into failed outcomes. */

import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asError } from '../../core/lib/errors.ts';
import { findSecrets } from '../../participants/lib/redact-secrets.ts';
import { getOwn } from '../engine/lib/unknown-record.ts';
import type { DriverContext, DriverWaitResult, RuntimeDriver } from './attempt/driver.ts';
import { CANCELLED, DriverError, refuse } from './attempt/failure.ts';
import { collected, deadlineOf, failed, failedWith } from './attempt/wait-result.ts';
import { noModule } from './check-settings.ts';

/** Time limit of each step other than `wait`. */
const STEP_MS = 60_000;
/** Extra time for a driver to report its own timeout. */
const GRACE_MS = 1_000;

export async function customDriver(name: string, context: DriverContext): Promise<RuntimeDriver> {
  const module = getOwn(context.config.adapters, name)?.module;
  if (typeof module !== 'string') return refuse('bad_settings', noModule(name));
  const step = stepsOf(name, context);
  const exported = await step('its module', STEP_MS, () => loadModule(context.root, module));
  const adapter = await step('its constructor', STEP_MS, async () => instantiate(name, exported, context));
  const { timeout_ms } = context.settings;
  return {
    name,
    timeoutMs: typeof timeout_ms === 'number' && timeout_ms > 0 ? timeout_ms : adapter.timeoutMs,
    dispatch: (bundle) => step('dispatch', STEP_MS, () => adapter.dispatch(bundle)),
    async wait(turnId, timeoutMs, signal) {
      try {
        const wait = (given: AbortSignal) => adapter.wait(turnId, timeoutMs, given);
        return waitResult(name, await step('wait', timeoutMs + GRACE_MS, wait, signal));
      } catch (thrown) {
        if (thrown instanceof DriverError) return failedWith(thrown.failure);
        throw thrown;
      }
    },
    async collect(turnId, data) {
      return collected(await step('collect', STEP_MS, () => adapter.collect(turnId, data)));
    },
  };
}

type Step = <T>(
  what: string,
  withinMs: number,
  perform: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** The returned step rejects only with DriverError. */
function stepsOf(name: string, context: DriverContext): Step {
  const { clock, variables } = context;
  const secrets = findSecrets(variables);
  return async (what, withinMs, perform, signal = context.signal) => {
    const deadline = deadlineOf(clock, withinMs, signal);
    try {
      // The async wrapper turns a synchronous throw into a rejection.
      return await deadline.race((async () => perform(deadline.signal))());
    } catch (thrown) {
      if (thrown instanceof DriverError) throw thrown;
      if (deadline.endedBy === 'caller') return refuse('aborted', CANCELLED);
      if (deadline.endedBy === 'timeout') return refuse('timeout', `${name}: ${what} did not end in ${withinMs} ms`);
      return refuse('adapter_threw', `${name}: ${what}: ${asError(thrown).message}`, { secrets });
    } finally {
      deadline.close();
    }
  };
}

const STEPS = ['dispatch', 'wait', 'collect'] as const;

type Exports = Readonly<Record<string, unknown>>;

function instantiate(name: string, exported: Exports, { root, settings }: DriverContext): RuntimeDriver {
  const candidates = [exported.default, exported[name], ...Object.values(exported)];
  for (const candidate of candidates) {
    if (isAdapter(candidate)) return candidate;
    if (typeof candidate !== 'function' || !isAdapter(candidate.prototype)) continue;
    const instance: unknown = Reflect.construct(candidate, [settings, { root }]);
    if (isAdapter(instance)) return instance;
  }
  const names = Object.keys(exported).join(', ') || 'nothing';
  const problem = `${name}: expected a class or an object with ${STEPS.join(', ')}; it exports ${names}`;
  return refuse('module_unusable', problem);
}

function isAdapter(value: unknown): value is RuntimeDriver {
  if (typeof value !== 'object' || value === null) return false;
  return STEPS.every((step) => typeof Reflect.get(value, step) === 'function');
}

function waitResult(name: string, waited: unknown): DriverWaitResult {
  const { status, data, reason } =
    typeof waited === 'object' && waited !== null ? (waited as Partial<DriverWaitResult>) : {};
  if (status === 'completed') return { status, data };
  if (status !== 'failed') {
    const problem = `${name}: wait: expected a status, completed or failed, got ${JSON.stringify(status)}`;
    return failed('adapter_threw', problem);
  }
  const word = typeof reason === 'string' && reason !== '' ? reason : 'adapter_failed';
  if (word === 'timeout') return failed('timeout', `${name}: the turn timed out`);
  return failed('adapter_failed', `${name}: ${detailOf(data) ?? word}`, { reason: word });
}

function detailOf(data: unknown): string | null {
  if (typeof data === 'string' && data !== '') return data;
  if (data instanceof Error) return data.message;
  try {
    return data === null || data === undefined ? null : (JSON.stringify(data) ?? null);
  } catch {
    return null;
  }
}

async function loadModule(root: string, module: string): Promise<Exports> {
  const file = await fileOf(root, module);
  if (/\.[cm]?tsx?$/.test(file)) {
    refuse('module_unusable', `${module}: expected JavaScript, got TypeScript; build it first`);
  }
  try {
    return await import(pathToFileURL(file).href);
  } catch (thrown) {
    return refuse('module_unusable', `${module}: cannot be loaded: ${asError(thrown).message}`);
  }
}

async function fileOf(root: string, module: string): Promise<string> {
  if (/^\.{1,2}\//.test(module) || isAbsolute(module)) return ownFile(root, module);
  if (!PACKAGE.test(module)) {
    const shown = JSON.stringify(module);
    return refuse('module_unusable', `${shown}: expected a path such as ./adapters/mine.js, or a package`);
  }
  try {
    return createRequire(join(resolve(root), 'package.json')).resolve(module);
  } catch (thrown) {
    const [first = ''] = asError(thrown).message.split('\n');
    return refuse('module_unusable', `${module}: cannot be resolved as a package of the project: ${first}`);
  }
}

/** A package name and an optional subpath without `..`. */
const PACKAGE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/(?!\.)[\w.~-]+)*$/;

/** Resolves links before checking that the file is inside the project. */
async function ownFile(root: string, module: string): Promise<string> {
  let [base, file] = ['', ''];
  try {
    [base, file] = await Promise.all([realpath(root), realpath(resolve(root, module))]);
  } catch (thrown) {
    return refuse('module_unusable', `${module}: ${asError(thrown).message}`);
  }
  const inside = relative(base, file);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) {
    return refuse('module_unusable', `${module}: expected a file inside the project`);
  }
  return file;
}
