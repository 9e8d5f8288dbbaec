/** Operations that dispatch a turn: assign it, write its bundle, report progress, refresh its baseline. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../system/make-folder.ts';
import { sealDispatchBundle, writeBundle } from '../../dispatch/bundle.ts';
import { stagingFolder } from '../../engine/dispatch/paths.ts';
import { authorityOf, canonicalPath, getActiveTurnCount, getActiveTurns } from '../../engine/index.ts';
import { getOwn, isRecord } from '../../engine/lib/unknown-record.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { badArgument, RunnerRefusal, requireHooksPassed } from '../contract/failure.ts';
import type {
  AssignOptions,
  BaselineRefreshed,
  BundleDispatched,
  DispatchOptions,
  LifecycleChanged,
  LifecycleDetails,
  LifecycleStep,
  TurnAssigned,
} from '../contract/types.ts';
import { baselineNow, baselineOf, type Tree, treeOf } from '../inspect/git.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../log/runner-context.ts';
import { hooksOf } from '../project/load-context.ts';
import { requireActiveTurn } from '../project/rejected-files.ts';
import { type OperationArgs, requireRun } from '../project/take-over.ts';

interface AssignArgs {
  readonly config: unknown;
  readonly roleId: unknown;
  readonly options?: AssignOptions;
}

export async function assignTurn(run: OpenRun, { config, roleId, options = {} }: AssignArgs): Promise<TurnAssigned> {
  if (typeof roleId !== 'string' || roleId === '') throw badArgument('roleId', 'the name of a role', roleId);
  const running = await requireRun(run, config);
  const state = stateOf(running);
  const hooks = await hooksOf(running, 'before_assignment', {
    role_id: roleId,
    role_config: getOwn(running.config.roles, roleId) ?? null,
    phase: state.phase,
    active_turns: Object.keys(getActiveTurns(state)),
    history_length: running.log.record.history.length,
  });
  requireHooksPassed(hooks, 'before_assignment');
  const turn_id = options.turnId ?? `turn_${run.means.ids.hex32().slice(0, 16)}`;
  const tree = await treeOf(run.root);
  await running.log.post('turn.assigned', {
    turn_id,
    role: roleId,
    git: tree === null ? null : { head: tree.head, changed: null, is_clean: isClean(running, tree, roleId) },
    baseline: tree === null ? null : baselineOf(tree, nowOf(run)),
    hooks: hooks.results,
  });
  const after = stateOf(running);
  const turn = getOwn(after.active_turns, turn_id);
  if (turn === undefined) throw new Error(`turn ${turn_id} was assigned but is not active`);
  return { ok: true, state: after, turn, warnings: [] };
}

/** Ignores changes of accepted turns. null if the role only reviews or active turns make changes unattributable. */
function isClean(running: Running, { dirty }: Tree, roleId: string): boolean | null {
  if (getActiveTurnCount(stateOf(running)) > 0 || authorityOf(running.config, roleId) === 'review_only') return null;
  const accounted = new Set(running.log.record.history.flatMap(declaredIn));
  return Object.keys(dirty).every((path) => accounted.has(path));
}

function declaredIn(entry: object): readonly string[] {
  const { files_changed = [] } = entry as { readonly files_changed?: unknown };
  const paths = Array.isArray(files_changed) ? files_changed.filter((path) => typeof path === 'string') : [];
  return paths.map((path) => canonicalPath(path) ?? path);
}

/** Writes the bundle from the log, not from the caller's state. Repeating the call dispatches the same turn. */
export async function writeDispatchBundle(
  run: OpenRun,
  { config, options = {} }: OperationArgs<DispatchOptions>,
): Promise<BundleDispatched> {
  const running = await requireRun(run, config);
  const turn = requireActiveTurn(running, options.turnId);
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
  const seal = { turnId: turn.turn_id, now: nowOf(run), variables: run.means.variables };
  const sealed = await sealDispatchBundle(run.root, stateOf(running), running.config, seal);
  const hookResults = sealed.hooks?.results ?? [];
  if (!sealed.ok) throw new RunnerRefusal(sealed.error_code, sealed.error, { hookResults });
  const { bundlePath, warnings } = written;
  // The agent expects its staging folder to exist.
  await makeFolder(await resolveInside(run.root, stagingFolder(turn.turn_id)));
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

/** Accepts plain file names, not paths. */
function checkedFiles(beside: unknown): Readonly<Record<string, string>> {
  const isFiles =
    isRecord(beside) && Object.entries(beside).every(([name, text]) => FILE.test(name) && typeof text === 'string');
  if (!isFiles) throw badArgument('beside', 'texts by file name', beside);
  return beside as Readonly<Record<string, string>>;
}

const FILE = /^(?!MANIFEST\.json$)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

async function textOf({ root }: Running, bundlePath: string, name: string): Promise<string> {
  return readFile(join(root, bundlePath, name), 'utf8');
}

const STEPS: readonly LifecycleStep[] = ['dispatched', 'starting', 'running', 'stalled', 'failed_start'];

interface LifecycleArgs {
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
  const before = requireActiveTurn(running, turnId);
  const isThere =
    before.status === step || (step === 'dispatched' && (before.status === 'starting' || before.status === 'running'));
  if (!isThere) {
    const { at = null, pid = null, stream = null } = details;
    const data = { turn_id: turnId, at, pid, stream };
    if (step === 'dispatched') await running.log.post('turn.dispatched', data);
    else await running.log.post('turn.progress', { ...data, step });
  }
  return { ok: true, state: stateOf(running), turn: requireActiveTurn(running, turnId), changed: !isThere };
}

export async function refreshTurnBaselineSnapshot(
  run: OpenRun,
  { turnId }: { readonly turnId: unknown },
): Promise<BaselineRefreshed> {
  if (typeof turnId !== 'string') throw badArgument('turnId', 'the id of a turn', turnId);
  const running = await requireRun(run);
  requireActiveTurn(running, turnId);
  const baseline = (await baselineNow(run)) ?? { kind: 'none', captured_at: nowOf(run) };
  await running.log.post('turn.rebased', { turn_id: turnId, baseline });
  return { ok: true, state: stateOf(running), turn: requireActiveTurn(running, turnId), baseline };
}
