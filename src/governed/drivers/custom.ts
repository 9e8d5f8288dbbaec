/** An adapter of the project's own. Nothing is assumed of it: what it throws, answers or never answers is an outcome of the turn. */

import { asError } from '../../core/lib/errors.ts';
import { own } from '../engine/lib/unknown-record.ts';
import { secretsIn } from '../../participants/lib/redact-secrets.ts';
import type { Adapter, AdapterContext, AdapterWaited } from './attempt/driver.ts';
import { noModule } from './check-settings.ts';
import { type Deadline, deadlineOf } from '../../node/governed/adapters/deadline.ts';
import { AdapterRefusal, refuse } from './attempt/failure.ts';
import { loadModule } from '../../node/governed/adapters/load-module.ts';
import { collected } from '../../node/governed/adapters/result-in.ts';
import { failed, failedWith } from '../../node/governed/adapters/waited.ts';

/** For modules to load, for `dispatch`, and for `collect`. */
const STEP_MS = 60_000;
/** Who minds its time may say so itself. */
const GRACE_MS = 1_000;

export async function customAdapter(name: string, context: AdapterContext): Promise<Adapter> {
  const module = own(context.config.adapters, name)?.module;
  if (typeof module !== 'string') return refuse('bad_settings', noModule(name));
  const step = stepsOf(name, context);
  const exported = await step('its module', STEP_MS, () => loadModule(context.root, module));
  const adapter = await step('its constructor', STEP_MS, async () => made(name, exported, context));
  const { timeout_ms } = context.settings;
  return {
    name,
    timeoutMs: typeof timeout_ms === 'number' && timeout_ms > 0 ? timeout_ms : adapter.timeoutMs,
    dispatch: (bundle) => step('dispatch', STEP_MS, () => adapter.dispatch(bundle)),
    async wait(turnId, timeoutMs, signal) {
      try {
        const waited = await step(
          'wait',
          timeoutMs + GRACE_MS,
          (given) => adapter.wait(turnId, timeoutMs, given),
          signal,
        );
        return understood(name, waited);
      } catch (thrown) {
        if (thrown instanceof AdapterRefusal) return failedWith(thrown.failure);
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

/** Rejects with AdapterRefusal and nothing else. */
function stepsOf(name: string, context: AdapterContext): Step {
  const { clock, variables } = context;
  const secrets = secretsIn(variables);
  return async (what, withinMs, perform, signal = context.signal) => {
    const deadline = deadlineOf(clock, withinMs, signal);
    try {
      return await deadline.race(begun(perform, deadline));
    } catch (thrown) {
      if (thrown instanceof AdapterRefusal) throw thrown;
      if (deadline.endedBy === 'caller') return refuse('aborted', 'nobody waits for the result any more');
      if (deadline.endedBy === 'timeout')
        return refuse('timeout', `${name}: ${what} was not done within ${withinMs} ms`);
      return refuse('adapter_threw', `${name}: ${what}: ${asError(thrown).message}`, { secrets });
    } finally {
      deadline.close();
    }
  };
}

/** What is thrown at once is a rejection too. */
async function begun<T>(perform: (signal: AbortSignal) => Promise<T>, { signal }: Deadline): Promise<T> {
  return perform(signal);
}

const STEPS = ['dispatch', 'wait', 'collect'] as const;

function made(name: string, exported: Readonly<Record<string, unknown>>, { root, settings }: AdapterContext): Adapter {
  const candidates = [exported.default, exported[name], ...Object.values(exported)];
  for (const candidate of candidates) {
    if (isAdapter(candidate)) return candidate;
    if (typeof candidate !== 'function' || !isAdapter(candidate.prototype)) continue;
    const instance: unknown = Reflect.construct(candidate, [settings, { root }]);
    if (isAdapter(instance)) return instance;
  }
  const names = Object.keys(exported).join(', ') || 'nothing';
  return refuse(
    'module_unusable',
    `${name}: expected a class or an object with ${STEPS.join(', ')}; it exports ${names}`,
  );
}

function isAdapter(value: unknown): value is Adapter {
  if (typeof value !== 'object' || value === null) return false;
  return STEPS.every((step) => typeof Reflect.get(value, step) === 'function');
}

function understood(name: string, waited: unknown): AdapterWaited {
  const { status, data, reason } =
    typeof waited === 'object' && waited !== null ? (waited as Partial<AdapterWaited>) : {};
  if (status === 'completed') return { status, data };
  if (status !== 'failed') {
    return failed(
      'adapter_threw',
      `${name}: wait: expected a status, completed or failed, got ${JSON.stringify(status)}`,
    );
  }
  const word = typeof reason === 'string' && reason !== '' ? reason : 'adapter_failed';
  if (word === 'timeout') return failed('timeout', `${name}: it was not done in its time`);
  return failed('adapter_failed', `${name}: ${detailOf(data) ?? word}`, { reason: word });
}

/** What it says beside the word, in a line. */
function detailOf(data: unknown): string | null {
  if (typeof data === 'string' && data !== '') return data;
  if (data instanceof Error) return data.message;
  try {
    return data === null || data === undefined ? null : (JSON.stringify(data) ?? null);
  } catch {
    return null;
  }
}
