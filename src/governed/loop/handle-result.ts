/** Handles the outcome of an attempt: accepts it, rejects it, or stops the loop. */

import { rm } from 'node:fs/promises';
import { getTurnStagingResultPath, type Turn } from '../engine/index.ts';
import { resolveInside } from '../files/safe-path.ts';
import type { RunnerFailure, TurnTaken } from '../runner/contract/types.ts';
import { readStagedResult, stageResult } from '../staging/staged-result.ts';
import type { Dispatched, Outcome } from './dispatch-turn.ts';
import { failedAt, type LoopContext, record, type Stop, settleWithin, stateNow, stop } from './loop-context.ts';

/** Returns null if the loop continues. */
export async function handleResult(loop: LoopContext, turn: Turn, came: Dispatched): Promise<Stop | null> {
  // Another loop took over and owns the turn; the next round ends this loop.
  if (came.kind !== 'aborted' && !(await loop.lock.isHeld())) return null;
  switch (came.kind) {
    case 'result':
    case 'staged':
      return (await keepResult(loop, turn, came)) ?? accept(loop, turn);
    case 'rejected':
      return reject(loop, turn, { stage: 'dispatch', reason: came.reason, errors: came.errors });
    case 'late':
      return reject(loop, turn, { stage: 'dispatch', reason: `timeout: no result within ${came.timeoutMs} ms` });
    case 'blocked':
      return block(loop, turn, came.details);
    case 'threw':
      return broken(loop, turn, 'dispatch_threw', came.error.message);
    case 'unusable':
      return broken(loop, turn, 'dispatch_unusable', came.problem);
    case 'aborted':
      if (came.answer?.kind === 'result') await keepResult(loop, turn, came.answer);
      return stop('aborted');
  }
}

/** Stages the result before acceptance, so that it survives a crash. */
async function keepResult({ root, tell }: LoopContext, turn: Turn, came: Outcome): Promise<Stop | null> {
  if (came.kind !== 'result') return null;
  const staged = await stageResult(root, turn.turn_id, came.result);
  if (staged.ok) return null;
  tell.problem(staged.error_code, staged.error, turn.turn_id);
  return stop('dispatch_error');
}

/** Errors not caused by the result, which stays staged for the next loop. */
const NOT_ITS_FAULT = [
  'lock_timeout',
  'io_error',
  'bad_argument',
  'unavailable',
  'timeout',
  'fenced_out',
  'outcome_unknown',
  'hub_not_running',
  'hub_not_answering',
  'log_damaged',
  'tree_unreadable',
];
/** Errors which show that another process handled the turn. */
const HANDLED = ['turn_already_accepted', 'turn_not_active'];

async function accept(loop: LoopContext, turn: Turn): Promise<Stop | null> {
  const { runner, root, config } = loop;
  const accepted = await runner.acceptTurn(root, config, { turnId: turn.turn_id });
  return accepted.ok ? taken(loop, turn, accepted) : notTaken(loop, turn, accepted);
}

/** Accepts a result staged before the loop began; deletes one that was already rejected. */
export async function acceptLeftoverResult(loop: LoopContext, turn: Turn): Promise<Stop | null> {
  const { runner, root, config } = loop;
  if ((await readStagedResult(root, turn.turn_id)).kind !== 'ready') return null;
  const accepted = await runner.acceptTurn(root, config, { turnId: turn.turn_id });
  if (accepted.ok) return taken(loop, turn, accepted);
  if (accepted.error_code !== 'stale_staging') return notTaken(loop, turn, accepted);
  await rm(await resolveInside(root, getTurnStagingResultPath(turn.turn_id)), { force: true });
  return null;
}

async function notTaken(loop: LoopContext, turn: Turn, failure: RunnerFailure): Promise<Stop | null> {
  const { error, error_code, validation } = failure;
  if (HANDLED.includes(error_code)) return null;
  if (NOT_ITS_FAULT.includes(error_code)) return failedAt(loop, failure, turn.turn_id);
  // If an operator or a hook stopped the run, the result stays staged.
  if (await isStopped(loop)) return null;
  if (error_code === 'conflict') return reject(loop, turn, { stage: 'conflict', reason: error, isConflict: true });
  const { failed_stage: stage = null, errors = [] } = validation ?? {};
  return reject(loop, turn, { stage, reason: error, errors });
}

async function taken(loop: LoopContext, turn: Turn, acceptResult: TurnTaken): Promise<Stop | null> {
  const { callbacks, patience, tell } = loop;
  record(loop, turn, null);
  await tell.event({ type: 'turn_accepted', turn, role: turn.assigned_role, acceptResult });
  const { afterAccept } = callbacks;
  if (afterAccept === undefined) return null;
  const said = await settleWithin(() => afterAccept.call(callbacks, { turn, acceptResult }), patience);
  if (said.kind === 'left') return null;
  if (said.kind === 'done' && said.value?.ok !== false) return null;
  const why = said.kind === 'threw' ? said.error.message : (said.value?.error ?? 'the callback gave no reason');
  tell.problem(said.kind === 'threw' ? 'callback_threw' : 'after_accept_failed', `afterAccept: ${why}`, turn.turn_id);
  return stop('caller_stopped', false);
}

interface Rejection {
  readonly stage: string | null;
  readonly reason: string;
  readonly errors?: readonly string[];
  readonly isConflict?: true;
}

async function reject(loop: LoopContext, turn: Turn, given: Rejection): Promise<Stop | null> {
  const { runner, root, config, tell } = loop;
  const { stage, reason, errors = [], isConflict = false } = given;
  const rejected = await runner.rejectTurn(root, config, { stage, errors }, reason, { turnId: turn.turn_id });
  record(loop, turn, reason);
  if (!rejected.ok) {
    if (HANDLED.includes(rejected.error_code) || (await isStopped(loop))) return null;
    return failedAt(loop, rejected, turn.turn_id);
  }
  const { escalated } = rejected;
  const type = isConflict ? 'turn_conflicted' : 'turn_rejected';
  await tell.event({ type, turn: rejected.turn, role: turn.assigned_role, reason, escalated });
  if (!escalated) return null;
  tell.problem(isConflict ? 'conflict_loop' : 'reject_exhausted', reason, turn.turn_id);
  await tell.event({ type: 'blocked', state: rejected.state });
  return stop(isConflict ? 'conflict_loop' : 'reject_exhausted');
}

async function isStopped(loop: LoopContext): Promise<boolean> {
  const now = await stateNow(loop);
  return now !== null && now.status !== 'active';
}

type Blocker = Extract<Outcome, { kind: 'blocked' }>['details'];

async function block(loop: LoopContext, turn: Turn, details: Blocker): Promise<Stop | null> {
  const { runner, root, tell } = loop;
  const reason = String(details.recovery?.detail ?? details.blockedOn);
  record(loop, turn, reason);
  const blocked = await runner.markRunBlocked(root, { ...details, turnId: turn.turn_id });
  if (!blocked.ok) return (await isStopped(loop)) ? null : failedAt(loop, blocked, turn.turn_id);
  tell.problem('dispatch_blocked', `${details.blockedOn}: ${reason}`, turn.turn_id);
  await tell.event({ type: 'blocked', state: blocked.state });
  return stop('blocked');
}

/** Handles a failed dispatch callback: the turn stays active, and the next loop dispatches it again. */
async function broken(loop: LoopContext, turn: Turn, code: string, why: string): Promise<Stop> {
  const { runner, root, tell } = loop;
  record(loop, turn, why);
  tell.problem(code, `dispatch of ${turn.turn_id} (${turn.assigned_role}): ${why}`, turn.turn_id);
  const stalled = await runner.transitionActiveTurnLifecycle(root, turn.turn_id, 'stalled');
  if (!stalled.ok) tell.problem(stalled.error_code, stalled.error, turn.turn_id);
  return stop('dispatch_error');
}
