/** Sends a turn out and brings its result back: checked bundle, dispatch, wait, collect, staged. Nothing is thrown at the caller. */

import { asError } from '../../core/lib/errors.ts';
import { sameJson } from '../engine/lib/digest.ts';
import type { GovernedConfig, Turn, TurnResult } from '../index.ts';
import { isRecord, type Unknowns } from '../engine/lib/unknown-record.ts';
import { secretsIn } from '../../participants/lib/redact-secrets.ts';
import { mayGoOut, type SealPolicy } from '../../node/governed/manifest/policy.ts';
import { readStagedResult } from '../staging/staged-result.ts';
import { stageResult } from '../../node/governed/staging/stage.ts';
import type { Adapter, DispatchBundle } from './attempt/driver.ts';
import { type CreateAdapterOptions, createAdapter } from './create-driver.ts';
import { type AdapterFailure, AdapterRefusal, failureOf, refuse } from './attempt/failure.ts';
import { keepFailure } from './attempt/attempt-files.ts';
import { readBundle } from '../../node/governed/adapters/read-bundle.ts';

export interface RunAdapterOptions extends CreateAdapterOptions {
  /** Comes before what the config says (`--timeout`). */
  readonly timeoutMs?: number | undefined;
  readonly seal?: SealPolicy | undefined;
  /** What sealing the bundle answered. */
  readonly digest?: string | undefined;
}

export type AdapterOutcome =
  | { readonly ok: true; readonly turnResult: TurnResult; readonly adapter_meta?: Unknowns }
  | ({ readonly ok: false } & AdapterFailure);

export async function runAdapter(
  root: string,
  config: GovernedConfig,
  turn: Turn,
  options: RunAdapterOptions = {},
): Promise<AdapterOutcome> {
  try {
    await checkSeal(root, turn, options);
    const bundle = await readBundle(root, turn);
    return await withFailureKept(bundle, options, () => sentOut(bundle, config, turn, options));
  } catch (thrown) {
    return { ok: false, ...toldAs(thrown, options) };
  }
}

async function checkSeal(root: string, turn: Turn, { seal, digest, signal }: RunAdapterOptions): Promise<void> {
  if (signal?.aborted) refuse('aborted', 'nobody waits for the result any more');
  const { turn_id, assigned_role: role, run_id } = turn;
  const identity = { turn_id, role, ...(run_id === null ? {} : { run_id }) };
  const { ok, errors } = await mayGoOut(root, { turnId: turn_id, identity, digest }, seal);
  if (ok) return;
  refuse('bundle_refused', errors.map(({ type, path, detail }) => `${type} ${path ?? ''}: ${detail}`).join('; '));
}

async function withFailureKept(
  bundle: DispatchBundle,
  options: RunAdapterOptions,
  perform: () => Promise<AdapterOutcome>,
): Promise<AdapterOutcome> {
  try {
    return await perform();
  } catch (thrown) {
    const failure = toldAs(thrown, options);
    await keepFailure(bundle, failure);
    return { ok: false, ...failure };
  }
}

async function sentOut(
  bundle: DispatchBundle,
  config: GovernedConfig,
  turn: Turn,
  options: RunAdapterOptions,
): Promise<AdapterOutcome> {
  const { turn_id } = turn;
  const created = await createAdapter(bundle.root, config, turn, options);
  if (!created.ok) {
    const { ok: _, ...failure } = created;
    throw new AdapterRefusal(failure);
  }
  const { adapter } = created;
  await adapter.dispatch(bundle);
  const { timeoutMs = adapter.timeoutMs ?? bundle.timeout_ms, signal } = options;
  const waited = await adapter.wait(turn_id, timeoutMs, signal);
  if (waited.status === 'failed') throw new AdapterRefusal(waited.failure ?? failureOf('adapter_failed', 'it failed'));
  const turnResult = await adapter.collect(turn_id, waited.data);
  await stage(adapter, bundle, turnResult);
  const { adapter_meta } = turnResult;
  return { ok: true, turnResult, ...(isRecord(adapter_meta) ? { adapter_meta } : {}) };
}

/** Those who staged it themselves find their own file where they put it. */
async function stage(adapter: Adapter, { root, turn_id }: DispatchBundle, result: TurnResult): Promise<void> {
  const before = await readStagedResult(root, turn_id);
  if (before.kind === 'ready' && sameJson(before.result, result)) return;
  const staged = await stageResult(root, turn_id, result);
  if (!staged.ok) refuse('io_error', `${adapter.name}: the result cannot be staged: ${staged.error}`);
}

function toldAs(thrown: unknown, { variables = process.env }: RunAdapterOptions): AdapterFailure {
  if (thrown instanceof AdapterRefusal) return thrown.failure;
  return failureOf('adapter_threw', asError(thrown).message, { secrets: secretsIn(variables) });
}
