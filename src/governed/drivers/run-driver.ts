/** Runs one turn with its driver: verify the bundle, dispatch, wait, collect, stage. Never throws. */

import { asError } from '../../core/lib/errors.ts';
import { findSecrets } from '../../participants/lib/redact-secrets.ts';
import { checkSeal, type SealPolicy } from '../dispatch/manifest.ts';
import type { GovernedConfig, Turn, TurnResult } from '../engine/index.ts';
import { sameJson } from '../engine/lib/digest.ts';
import { isRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import { readStagedResult, stageResult } from '../staging/staged-result.ts';
import { readBundle, saveFailure } from './attempt/attempt-files.ts';
import type { DispatchBundle, RuntimeDriver } from './attempt/driver.ts';
import { CANCELLED, DriverError, type DriverFailure, failureOf, refuse } from './attempt/failure.ts';
import { type CreateAdapterOptions, createRuntimeDriver } from './create-driver.ts';

export interface RunAdapterOptions extends CreateAdapterOptions {
  /** Overrides the timeout of the config (`--timeout`). */
  readonly timeoutMs?: number | undefined;
  readonly seal?: SealPolicy | undefined;
  readonly digest?: string | undefined;
}

export type DriverOutcome =
  | { readonly ok: true; readonly turnResult: TurnResult; readonly adapter_meta?: UnknownRecord }
  | ({ readonly ok: false } & DriverFailure);

export async function runTurnWithDriver(
  root: string,
  config: GovernedConfig,
  turn: Turn,
  options: RunAdapterOptions = {},
): Promise<DriverOutcome> {
  try {
    await requireSeal(root, turn, options);
    const bundle = await readBundle(root, turn);
    try {
      return await runDriver(bundle, config, turn, options);
    } catch (thrown) {
      const failure = asFailure(thrown, options);
      await saveFailure(bundle, failure);
      return { ok: false, ...failure };
    }
  } catch (thrown) {
    return { ok: false, ...asFailure(thrown, options) };
  }
}

async function requireSeal(root: string, turn: Turn, { seal, digest, signal }: RunAdapterOptions): Promise<void> {
  if (signal?.aborted) refuse('aborted', CANCELLED);
  const { turn_id, assigned_role: role, run_id } = turn;
  const identity = { turn_id, role, ...(run_id === null ? {} : { run_id }) };
  const { ok, errors } = await checkSeal(root, { turnId: turn_id, identity, digest }, seal);
  if (ok) return;
  refuse('bundle_refused', errors.map(({ type, path, detail }) => `${type} ${path ?? ''}: ${detail}`).join('; '));
}

async function runDriver(
  bundle: DispatchBundle,
  config: GovernedConfig,
  turn: Turn,
  options: RunAdapterOptions,
): Promise<DriverOutcome> {
  const { turn_id } = turn;
  const created = await createRuntimeDriver(bundle.root, config, turn, options);
  if (!created.ok) {
    const { ok: _, ...failure } = created;
    throw new DriverError(failure);
  }
  const { adapter } = created;
  await adapter.dispatch(bundle);
  const { timeoutMs = adapter.timeoutMs ?? bundle.timeout_ms, signal } = options;
  const waited = await adapter.wait(turn_id, timeoutMs, signal);
  if (waited.status === 'failed')
    throw new DriverError(waited.failure ?? failureOf('adapter_failed', 'the driver gave no reason'));
  const turnResult = await adapter.collect(turn_id, waited.data);
  await stage(adapter, bundle, turnResult);
  const { adapter_meta } = turnResult;
  return { ok: true, turnResult, ...(isRecord(adapter_meta) ? { adapter_meta } : {}) };
}

/** Keeps the staged file if the agent already staged the same result. */
async function stage(adapter: RuntimeDriver, { root, turn_id }: DispatchBundle, result: TurnResult): Promise<void> {
  const before = await readStagedResult(root, turn_id);
  if (before.kind === 'ready' && sameJson(before.result, result)) return;
  const staged = await stageResult(root, turn_id, result);
  if (!staged.ok) refuse('io_error', `${adapter.name}: the result cannot be staged: ${staged.error}`);
}

function asFailure(thrown: unknown, { variables = process.env }: RunAdapterOptions): DriverFailure {
  if (thrown instanceof DriverError) return thrown.failure;
  return failureOf('adapter_threw', asError(thrown).message, { secrets: findSecrets(variables) });
}
