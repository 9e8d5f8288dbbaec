/** What somebody gets for a turn is written, added to by hooks, sealed, and told in the log. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stagingFolder } from '../../engine/dispatch/paths.ts';
import { isRecord } from '../../engine/lib/unknown-record.ts';
import { makeFolder } from '../../../system/make-folder.ts';
import { sealDispatchBundle } from '../../../node/governed/dispatch/seal.ts';
import { writeBundle } from '../../dispatch/bundle.ts';
import { placeIn } from '../../../node/governed/safe-place.ts';
import { badArgument, RunnerRefusal } from '../contract/failure.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../../../node/governed/runner/open-run.ts';
import { requireRun } from '../project/take-over.ts';
import { turnAsked } from '../../../node/governed/runner/turn-asked.ts';
import type {
  BaselineRefreshed,
  BundleDispatched,
  DispatchOptions,
  LifecycleChanged,
  LifecycleDetails,
  LifecycleStep,
} from '../contract/types.ts';
import { baselineNow } from '../../../node/governed/runner/operations/rejection.ts';

export interface DispatchArgs {
  readonly config: unknown;
  readonly options?: DispatchOptions;
}

/** Files are made from the log, whatever state the caller holds. Written again, it is the same turn that goes out. */
export async function writeDispatchBundle(
  run: OpenRun,
  { config, options = {} }: DispatchArgs,
): Promise<BundleDispatched> {
  const running = await requireRun(run, config);
  const turn = turnAsked(running, options.turnId);
  const { history, ledger } = running.log.record;
  const plain = (entry: object) => ({ ...entry });
  const written = await writeBundle(run.root, stateOf(running), running.config, {
    turnId: turn.turn_id,
    history: history.map(plain),
    ledger: ledger.map(plain),
    ...(options.warnings === undefined ? {} : { warnings: options.warnings }),
    ...(options.beside === undefined ? {} : { beside: checkedFiles(options.beside) }),
  });
  if (!written.ok) throw new RunnerRefusal(written.error_code, written.error);
  const { variables } = run.means;
  const sealed = await sealDispatchBundle(run.root, stateOf(running), running.config, {
    turnId: turn.turn_id,
    now: nowOf(run),
    variables,
  });
  const hookResults = sealed.hooks?.results ?? [];
  if (!sealed.ok) throw new RunnerRefusal(sealed.error_code, sealed.error, { hookResults });
  const { bundlePath, warnings } = written;
  // Whoever is told where to write finds the folder there.
  await makeFolder(await placeIn(run.root, stagingFolder(turn.turn_id)));
  if (turn.status !== 'dispatched' && turn.status !== 'starting' && turn.status !== 'running') {
    await running.log.post('turn.dispatched', {
      turn_id: turn.turn_id,
      prompt: await textOf(running, bundlePath, 'PROMPT.md'),
      context: await textOf(running, bundlePath, 'CONTEXT.md'),
      bundle: { path: bundlePath, manifest_sha256: sealed.digest },
      hooks: hookResults,
    });
  }
  const files = sealed.manifest.files.map(({ path }) => path);
  return { ok: true, bundlePath, files, warnings, digest: sealed.digest, hookResults, state: stateOf(running) };
}

/** Names of files, not of places. */
function checkedFiles(beside: unknown): Readonly<Record<string, string>> {
  const isFiles =
    isRecord(beside) && Object.entries(beside).every(([name, text]) => FILE.test(name) && typeof text === 'string');
  if (!isFiles) throw badArgument('beside', 'texts by names of files', beside);
  return beside as Readonly<Record<string, string>>;
}

const FILE = /^(?!MANIFEST\.json$)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

async function textOf({ root }: Running, bundlePath: string, name: string): Promise<string> {
  return readFile(join(root, bundlePath, name), 'utf8');
}

const STEPS: readonly LifecycleStep[] = ['dispatched', 'starting', 'running', 'stalled', 'failed_start'];

export interface LifecycleArgs {
  readonly turnId: unknown;
  readonly step: unknown;
  readonly details?: LifecycleDetails;
}

export async function transitionActiveTurnLifecycle(
  run: OpenRun,
  { turnId, step: given, details = {} }: LifecycleArgs,
): Promise<LifecycleChanged> {
  const step = STEPS.find((one) => one === given);
  if (step === undefined) throw badArgument('step', `one of ${STEPS.join(', ')}`, given);
  if (typeof turnId !== 'string') throw badArgument('turnId', 'the id of a turn', turnId);
  const running = await requireRun(run);
  const before = turnAsked(running, turnId);
  const isThere = before.status === step || (step === 'dispatched' && isUnderWay(before.status));
  if (!isThere) {
    const { at = null, pid = null, stream = null } = details;
    const told = { turn_id: turnId, at, pid, stream };
    if (step === 'dispatched') await running.log.post('turn.dispatched', told);
    else await running.log.post('turn.progress', { ...told, step });
  }
  return { ok: true, state: stateOf(running), turn: turnAsked(running, turnId), changed: !isThere };
}

function isUnderWay(status: string): boolean {
  return status === 'starting' || status === 'running';
}

export async function refreshTurnBaselineSnapshot(
  run: OpenRun,
  { turnId }: { readonly turnId: unknown },
): Promise<BaselineRefreshed> {
  if (typeof turnId !== 'string') throw badArgument('turnId', 'the id of a turn', turnId);
  const running = await requireRun(run);
  turnAsked(running, turnId);
  const baseline = (await baselineNow(run)) ?? { kind: 'none', captured_at: nowOf(run) };
  await running.log.post('turn.rebased', { turn_id: turnId, baseline });
  return { ok: true, state: stateOf(running), turn: turnAsked(running, turnId), baseline };
}
