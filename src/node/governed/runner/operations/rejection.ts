/** A result is sent back, or a turn is given out anew. What was handed in is kept aside. */

import { rm } from 'node:fs/promises';
import { getTurnStagingResultPath, type Turn } from '../../../../governed/index.ts';
import { isFilled, isRecord, type Unknowns } from '../../../../governed/engine/lib/unknown-record.ts';
import { placeIn } from '../../safe-place.ts';
import { readStagedResult, type Staged } from '../../../../governed/staging/staged-result.ts';
import { badArgument, RunnerRefusal } from '../../../../governed/runner/contract/failure.ts';
import { baselineOf, treeOf } from '../../../../governed/runner/inspect/git.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../open-run.ts';
import { addRejected, rejectedOf } from '../rejected-files.ts';
import { requireRun } from '../../../../governed/runner/project/take-over.ts';
import { turnAsked } from '../turn-asked.ts';
import type { ReissueOptions, RejectOptions, TurnReissued, TurnRejectedAnswer } from '../../../../governed/runner/contract/types.ts';

export interface RejectArgs {
  readonly config: unknown;
  readonly result?: unknown;
  readonly reason?: unknown;
  readonly options?: RejectOptions;
}

export async function rejectTurn(run: OpenRun, args: RejectArgs): Promise<TurnRejectedAnswer> {
  const { reason, stage, errors, turnId } = readArgs(args);
  const running = await requireRun(run, args.config);
  const turn = turnAsked(running, turnId);
  const told = { turn_id: turn.turn_id, attempt: turn.attempt, stage, reason, errors };
  await keepRejected(running, turn, { ...told, rejected_at: nowOf(run) });
  const { turn_id } = turn;
  const baseline = await baselineNow(run);
  await running.log.post('turn.rejected', { turn_id, reason, stage, errors, baseline });
  await clearStaged(running, turn_id);
  const state = stateOf(running);
  return { ok: true, state, turn: turnAsked(running, turn_id), escalated: state.status === 'blocked' };
}

function readArgs({ result, reason: given, options }: RejectArgs): {
  readonly reason: string;
  readonly stage: string | null;
  readonly errors: readonly string[];
  readonly turnId: string | undefined;
} {
  const found = isRecord(result) ? result : {};
  const more = isRecord(given) ? (given as RejectOptions) : {};
  const errors = Array.isArray(found.errors) ? found.errors.map(String) : [];
  const stage = [found.failed_stage, found.stage].find(isFilled) ?? null;
  const words = [given, more.reason, options?.reason, errors[0]].find(isFilled);
  if (words === undefined) throw badArgument('reason', 'why it is rejected', given);
  return { reason: words, stage, errors, turnId: options?.turnId ?? more.turnId };
}

async function keepRejected({ root }: Running, turn: Turn, told: Unknowns): Promise<void> {
  const staged = await readStagedResult(root, turn.turn_id);
  const handed_in = staged.kind === 'ready' ? staged.result : null;
  const { sha256 = null, version = null } = staged.kind === 'ready' ? staged : {};
  await addRejected(root, turn, { ...told, sha256, version, handed_in });
}

/** What was sent back is not taken as the next attempt by mistake: a crash may have left it where it was. The same words written anew are a new result. */
export async function requireNotRejected(
  { root }: Running,
  turn: Turn,
  { sha256, version }: Extract<Staged, { kind: 'ready' }>,
): Promise<void> {
  const before = { turn_id: turn.turn_id, attempt: turn.attempt - 1 };
  if (!(await rejectedOf(root, before)).some((kept) => writtenAt(kept.version) === writtenAt(version))) return;
  const error = `turn ${turn.turn_id}: what is staged is the result of attempt ${before.attempt}, which was rejected`;
  throw new RunnerRefusal('stale_staging', error, { details: { turn_id: turn.turn_id, sha256 } });
}

/** The file and when it was written; moving it aside and back changes neither. */
function writtenAt(version: unknown): string {
  return String(version).split(':').slice(0, 4).join(':');
}

async function clearStaged({ root }: Running, turnId: string): Promise<void> {
  await rm(await placeIn(root, getTurnStagingResultPath(turnId)), { force: true });
}

/** How the project stands now; null = it is in no work tree. */
export async function baselineNow(run: OpenRun): Promise<Unknowns | null> {
  const tree = await treeOf(run.root);
  return tree === null ? null : baselineOf(tree, nowOf(run));
}

export interface ReissueArgs {
  readonly config: unknown;
  readonly options?: ReissueOptions;
}

export async function reissueTurn(run: OpenRun, { config, options = {} }: ReissueArgs): Promise<TurnReissued> {
  const running = await requireRun(run, config);
  const turn = turnAsked(running, options.turnId ?? turnOfRole(running, options.roleId));
  const { turn_id } = turn;
  const reason = options.reason ?? 'given out anew';
  await keepRejected(running, turn, { turn_id, attempt: turn.attempt, stage: null, reason, errors: [] });
  await running.log.post('turn.reissued', { turn_id, reason, baseline: await baselineNow(run) });
  await clearStaged(running, turn_id);
  return { ok: true, state: stateOf(running), turn: turnAsked(running, turn_id), escalated: false };
}

function turnOfRole(running: Running, roleId: string | undefined): string | undefined {
  if (roleId === undefined) return undefined;
  const found = Object.values(stateOf(running).active_turns).find(({ assigned_role }) => assigned_role === roleId);
  if (found === undefined) throw new RunnerRefusal('not_found', `${roleId} has no turn out`);
  return found.turn_id;
}
