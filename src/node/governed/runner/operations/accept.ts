/**
 * A staged result becomes part of the run. The runner looks, and one envelope holds all that it saw; what the files show,
 * what hooks are told and what is cleared away follows when that is durable.
 */

import type { HookAudit } from '../../../../governed/engine/hooks/hook.ts';
import type { HistoryEntry, Turn } from '../../../../governed/index.ts';
import { isFilled } from '../../../../governed/engine/lib/unknown-record.ts';
import { badArgument, failureOf, RunnerRefusal } from '../../../../governed/runner/contract/failure.ts';
import { type Look, lookAtTurn } from '../../../../governed/runner/inspect/inspect-turn.ts';
import { type OpenRun, type Running, stateOf } from '../open-run.ts';
import { requireRun } from '../../../../governed/runner/project/take-over.ts';
import { turnAsked } from '../turn-asked.ts';
import type { AcceptOptions, TurnTaken } from '../../../../governed/runner/contract/types.ts';

export interface AcceptArgs {
  readonly config: unknown;
  readonly options?: AcceptOptions;
}

/** Whoever is overtaken so often is told. */
const MAX_LOOKS = 5;
const LOOK_AGAIN = ['conflict', 'stale_evidence'];

export async function acceptTurn(run: OpenRun, { config, options = {} }: AcceptArgs): Promise<TurnTaken> {
  const resolution = options.resolutionMode ?? 'standard';
  if (resolution !== 'standard' && resolution !== 'human_merge') {
    throw badArgument('resolutionMode', 'standard or human_merge', resolution);
  }
  const running = await requireRun(run, config);
  for (let looks = 1; ; looks++) {
    const turn = turnAsked(running, options.turnId);
    const look = await lookAtTurn(running, turn, resolution);
    try {
      return await taken(running, turn, look, resolution);
    } catch (thrown) {
      // A clash of files is a conflict too, and looking again does not help it.
      const { error_code, error_type, error } = failureOf(thrown);
      if (error_type === 'conflict' || !LOOK_AGAIN.includes(error_code)) throw withHooks(thrown, look.hookResults);
      if (looks >= MAX_LOOKS) throw new RunnerRefusal('acceptance_drift', `looked ${looks} times; at last: ${error}`);
      await running.log.refresh();
    }
  }
}

async function taken(running: Running, turn: Turn, look: Look, resolution: string): Promise<TurnTaken> {
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
    // One envelope of this type adds one entry.
    accepted: added.history[0] as HistoryEntry,
    gateResult: judged.transition,
    completionResult: judged.completion,
    hookResults: look.hookResults,
    warnings: judged.warnings,
    ...(left !== null && left <= 0 ? { budget_warning: `the budget of this run is spent: ${left} USD are left` } : {}),
  };
}

function withHooks(thrown: unknown, hookResults: readonly HookAudit[]): unknown {
  const { error, error_code, ...more } = failureOf(thrown);
  if (!isFilled(error_code) || hookResults.length === 0) return thrown;
  return new RunnerRefusal(error_code, error, { ...more, hookResults });
}
