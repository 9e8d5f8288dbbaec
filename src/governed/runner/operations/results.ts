/** Operations that end an attempt: accept its result, reject it, reissue the turn. */

import { rm } from 'node:fs/promises';
import type { HookAudit } from '../../engine/hooks/hook.ts';
import { getTurnStagingResultPath, type HistoryEntry, type Turn } from '../../engine/index.ts';
import { isNonEmptyText, isRecord, type UnknownRecord } from '../../engine/lib/unknown-record.ts';
import { resolveInside } from '../../files/safe-path.ts';
import { readStagedResult } from '../../staging/staged-result.ts';
import { badArgument, failureOf, RunnerRefusal } from '../contract/failure.ts';
import type {
  AcceptOptions,
  ReissueOptions,
  RejectOptions,
  TurnReissued,
  TurnRejectedAnswer,
  TurnTaken,
} from '../contract/types.ts';
import { baselineNow } from '../inspect/git.ts';
import { inspectTurn, type TurnInspection } from '../inspect/inspect-turn.ts';
import { nowOf, type OpenRun, type Running, stateOf } from '../log/runner-context.ts';
import { addRejected, requireActiveTurn } from '../project/rejected-files.ts';
import { type OperationArgs, requireRun } from '../project/take-over.ts';

/** Maximum number of inspections while the log keeps changing. */
const MAX_LOOKS = 5;
const LOOK_AGAIN = ['conflict', 'stale_evidence'];

export async function acceptTurn(
  run: OpenRun,
  { config, options = {} }: OperationArgs<AcceptOptions>,
): Promise<TurnTaken> {
  const resolution = options.resolutionMode ?? 'standard';
  if (resolution !== 'standard' && resolution !== 'human_merge') {
    throw badArgument('resolutionMode', 'standard or human_merge', resolution);
  }
  const running = await requireRun(run, config);
  for (let looks = 1; ; looks++) {
    const turn = requireActiveTurn(running, options.turnId);
    const look = await inspectTurn(running, turn, resolution);
    try {
      return await taken(running, turn, look, resolution);
    } catch (thrown) {
      // Inspecting again cannot resolve a file conflict.
      const { error_code, error_type, error } = failureOf(thrown);
      if (error_type === 'conflict' || !LOOK_AGAIN.includes(error_code)) throw withHooks(thrown, look.hookResults);
      if (looks >= MAX_LOOKS)
        throw new RunnerRefusal('acceptance_drift', `the run changed during ${looks} inspections: ${error}`);
      await running.log.refresh();
    }
  }
}

async function taken(running: Running, turn: Turn, look: TurnInspection, resolution: string): Promise<TurnTaken> {
  const { log, means } = running;
  const { turn_id } = turn;
  const { raw, judged, evidence, seenSeq } = look;
  const { result, normalisations } = judged.validation;
  const { added } = await log.post(
    'turn.accepted',
    { turn_id, raw, result, normalisations, evidence, resolution, seen_seq: seenSeq },
    { expectedSeq: seenSeq },
  );
  await means.reached('posted');
  const state = stateOf(running);
  const left = state.budget_status?.remaining_usd ?? null;
  return {
    ok: true,
    state,
    validation: look.report,
    // Each `turn.accepted` envelope adds exactly one history entry.
    accepted: added.history[0] as HistoryEntry,
    gateResult: judged.transition,
    completionResult: judged.completion,
    hookResults: look.hookResults,
    warnings: judged.warnings,
    ...(left !== null && left <= 0
      ? { budget_warning: `the budget of this run is spent (remaining: ${left} USD)` }
      : {}),
  };
}

function withHooks(thrown: unknown, hookResults: readonly HookAudit[]): unknown {
  const { error, error_code, ...more } = failureOf(thrown);
  if (!isNonEmptyText(error_code) || hookResults.length === 0) return thrown;
  return new RunnerRefusal(error_code, error, { ...more, hookResults });
}

interface RejectArgs {
  readonly config: unknown;
  readonly result?: unknown;
  readonly reason?: unknown;
  readonly options?: RejectOptions;
}

export async function rejectTurn(run: OpenRun, args: RejectArgs): Promise<TurnRejectedAnswer> {
  const { reason, stage, errors, turnId } = readArgs(args);
  const running = await requireRun(run, args.config);
  const turn = requireActiveTurn(running, turnId);
  const { turn_id, attempt } = turn;
  await keepRejected(running, turn, { turn_id, attempt, stage, reason, errors, rejected_at: nowOf(run) });
  const baseline = await baselineNow(run);
  await running.log.post('turn.rejected', { turn_id, reason, stage, errors, baseline });
  await clearStaged(running, turn_id);
  const state = stateOf(running);
  return { ok: true, state, turn: requireActiveTurn(running, turn_id), escalated: state.status === 'blocked' };
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
  const stage = [found.failed_stage, found.stage].find(isNonEmptyText) ?? null;
  const words = [given, more.reason, options?.reason, errors[0]].find(isNonEmptyText);
  if (words === undefined) throw badArgument('reason', 'the reason for the rejection', given);
  return { reason: words, stage, errors, turnId: options?.turnId ?? more.turnId };
}

async function keepRejected({ root }: Running, turn: Turn, entry: UnknownRecord): Promise<void> {
  const staged = await readStagedResult(root, turn.turn_id);
  const handed_in = staged.kind === 'ready' ? staged.result : null;
  const { sha256 = null, version = null } = staged.kind === 'ready' ? staged : {};
  await addRejected(root, turn, { ...entry, sha256, version, handed_in });
}

async function clearStaged({ root }: Running, turnId: string): Promise<void> {
  await rm(await resolveInside(root, getTurnStagingResultPath(turnId)), { force: true });
}

export async function reissueTurn(
  run: OpenRun,
  { config, options = {} }: OperationArgs<ReissueOptions>,
): Promise<TurnReissued> {
  const running = await requireRun(run, config);
  const turn = requireActiveTurn(running, options.turnId ?? turnOfRole(running, options.roleId));
  const { turn_id } = turn;
  const reason = options.reason ?? 'reissued';
  await keepRejected(running, turn, { turn_id, attempt: turn.attempt, stage: null, reason, errors: [] });
  await running.log.post('turn.reissued', { turn_id, reason, baseline: await baselineNow(run) });
  await clearStaged(running, turn_id);
  return { ok: true, state: stateOf(running), turn: requireActiveTurn(running, turn_id), escalated: false };
}

function turnOfRole(running: Running, roleId: string | undefined): string | undefined {
  if (roleId === undefined) return undefined;
  const found = Object.values(stateOf(running).active_turns).find(({ assigned_role }) => assigned_role === roleId);
  if (found === undefined) throw new RunnerRefusal('not_found', `role ${roleId} has no active turn`);
  return found.turn_id;
}
