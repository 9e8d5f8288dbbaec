/**
 * Drives a run to its end: begins it, runs rounds of turns, asks at gates, and stops with a reason. Never throws.
 * Callbacks choose roles and do the turns; the runner records results. After a crash the next loop continues from the log.
 * Continue with `types.ts` (the contract with the caller), `choose.ts`, `dispatch-turn.ts` and `handle-result.ts`.
 */

import { asError } from '../../core/lib/errors.ts';
import type { RunState, Turn } from '../engine/index.ts';
import { chooseTurns } from './choose.ts';
import { dispatchTurn, writeAttemptBundle } from './dispatch-turn.ts';
import { acceptLeftoverResult, handleResult } from './handle-result.ts';
import {
  failedAt,
  isAborted,
  type LoopContext,
  type LoopPorts,
  type Stop,
  settleWithin,
  stateNow,
  stop,
} from './loop-context.ts';
import { type NotReady, prepareLoop } from './prepare.ts';
import type { GateType, LoopCallbacks, LoopOptions, LoopResult, StopReason } from './types.ts';

/** Stop reasons that count as `ok`. */
const GOOD_ENDS: readonly StopReason[] = ['completed', 'gate_held', 'caller_stopped', 'max_turns_reached'];

export type RunLoop = (
  root: string,
  config: unknown,
  callbacks: LoopCallbacks,
  options?: LoopOptions,
) => Promise<LoopResult>;

export function createRunLoop(ports: LoopPorts): RunLoop {
  return async (root, config, callbacks, options = {}) => {
    const ready = await prepareLoop(ports, { root, config, callbacks, options }).catch(unreadable);
    if (ready.kind === 'not_ready') return notBegun(ready);
    const { loop } = ready;
    try {
      return await resultOf(loop, await driven(loop));
    } finally {
      await loop.lock.release();
    }
  };
}

/** Reports arguments that throw when they are read, for example in a getter. */
function unreadable(thrown: unknown): NotReady {
  const message = `cannot read the arguments: ${asError(thrown).message}`;
  return { kind: 'not_ready', stop_reason: 'init_failed', errors: [{ code: 'bad_argument', message, turn_id: null }] };
}

function notBegun({ stop_reason, errors }: NotReady): LoopResult {
  const nothing = { turns_executed: 0, turn_history: [], gates_approved: 0 };
  return { ok: false, stop_reason, state: null, ...nothing, errors };
}

async function driven(loop: LoopContext): Promise<Stop> {
  try {
    return (await beginRun(loop)) ?? (await acceptLeftovers(loop)) ?? (await driveRounds(loop));
  } catch (thrown) {
    loop.tell.problem('unexpected', asError(thrown).message);
    return stop('dispatch_error');
  }
}

/** Accepts results that an earlier loop staged but did not accept. */
async function acceptLeftovers(loop: LoopContext): Promise<Stop | null> {
  const state = await stateNow(loop);
  if (state?.status !== 'active') return null;
  for (const turn of Object.values(state.active_turns)) {
    if (isAborted(loop)) return stop('aborted');
    const end = await acceptLeftoverResult(loop, turn);
    if (end !== null) return end;
  }
  return null;
}

async function driveRounds(loop: LoopContext): Promise<Stop> {
  for (;;) {
    if (isAborted(loop)) return stop('aborted');
    if (!(await loop.lock.isHeld()))
      return failedAt(loop, { error_code: 'loop_taken_over', error: 'another loop took over this project' });
    const state = await stateNow(loop);
    if (state === null) return failedAt(loop, { error_code: 'no_run', error: 'the run no longer exists' });
    if (state.status === 'paused') {
      const held = await askAtGate(loop, state);
      if (held !== null) return held;
      continue;
    }
    const end = await ended(loop, state);
    if (end !== null) return end;
    const chosen = await chooseTurns(loop, state);
    if ('stop_reason' in chosen) return chosen;
    const worked = await runRound(loop, chosen.turns);
    if (worked !== null) return worked;
  }
}

/**
 * Dispatches the turns of a round concurrently and handles the results one at a time, in order of arrival.
 * Returns null if the loop continues; the first reason to stop wins.
 */
async function runRound(loop: LoopContext, turns: readonly Turn[]): Promise<Stop | null> {
  const { tell } = loop;
  if (turns.length > 1) await tell.event({ type: 'parallel_dispatch', turns });
  const inTurn = queue();
  const ends: Stop[] = [];
  const one = async (turn: Turn): Promise<void> => {
    const bundle = await inTurn(() => writeAttemptBundle(loop, turn));
    if (!bundle.ok) return void ends.push(await inTurn(() => notSent(loop, turn, bundle)));
    if (isAborted(loop)) return void ends.push(stop('aborted'));
    loop.turnsExecuted += 1;
    const came = await dispatchTurn(loop, turn, bundle);
    const end = await inTurn(() => handleResult(loop, turn, came));
    if (end !== null) ends.push(end);
  };
  await Promise.all(turns.map(one));
  return ends[0] ?? null;
}

/** A blocking hook needs an operator; after any other failure, the next loop retries. */
async function notSent(loop: LoopContext, turn: Turn, failure: { error: string; error_code: string }): Promise<Stop> {
  const { runner, root, tell } = loop;
  const failed = failedAt(loop, failure, turn.turn_id);
  if (!failure.error_code.startsWith('hook_')) return failed;
  const blocked = await runner.markRunBlocked(root, {
    blockedOn: `hook:after_dispatch:${turn.assigned_role}`,
    category: failure.error_code,
    recovery: { detail: failure.error },
    turnId: turn.turn_id,
  });
  if (!blocked.ok) return failed;
  await tell.event({ type: 'blocked', state: blocked.state });
  return stop('blocked');
}

/** Serialises runner calls, so that each sees the changes of the previous call. */
function queue(): <T>(perform: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (perform) => {
    const next = last.then(perform);
    last = next.catch(() => undefined);
    return next;
  };
}

async function ended({ tell, maxTurns, turnsExecuted }: LoopContext, state: RunState): Promise<Stop | null> {
  if (state.status === 'completed') {
    await tell.event({ type: 'completed', state });
    return stop('completed');
  }
  if (state.status !== 'active') {
    await tell.event({ type: 'blocked', state });
    return stop('blocked');
  }
  return turnsExecuted >= maxTurns ? stop('max_turns_reached') : null;
}

async function resultOf(loop: LoopContext, { stop_reason, ok }: Stop): Promise<LoopResult> {
  const { turnsExecuted, records, gatesApproved, tell } = loop;
  return {
    ok: ok ?? GOOD_ENDS.includes(stop_reason),
    stop_reason,
    state: await stateNow(loop).catch(() => null),
    turns_executed: turnsExecuted,
    turn_history: records,
    gates_approved: gatesApproved,
    errors: tell.errors,
  };
}

/** Returns null if there is a run to continue. */
async function beginRun(loop: LoopContext): Promise<Stop | null> {
  const { runner, root, config, options, tell } = loop;
  const state = await stateNow(loop);
  const isAgain = isRestart(state, loop);
  if (state !== null && state.status !== 'idle' && !isAgain) return null;
  const begun = await runner.initRun(root, config, {
    provenance: options.provenance ?? null,
    inherited_context: options.inheritedContext ?? null,
    ...(isAgain ? { allow_terminal_restart: true } : {}),
  });
  if (begun.ok) return null;
  tell.problem(begun.error_code, begun.error);
  return stop('init_failed');
}

function isRestart(state: RunState | null, { options }: LoopContext): boolean {
  if (state?.status === 'completed') return options.startNewRunFromCompleted === true;
  return state?.status === 'blocked' && options.startNewRunFromBlocked === true;
}

/** Returns null if the loop continues: the gate was approved or decided elsewhere. */
async function askAtGate(loop: LoopContext, state: RunState): Promise<Stop | null> {
  const gateType: GateType = state.pending_phase_transition === null ? 'run_completion' : 'phase_transition';
  await loop.tell.event({ type: 'gate_paused', gateType, state });
  const isWanted = await asked(loop, gateType, state);
  if (isAborted(loop)) return stop('aborted');
  if (!isWanted.yes) return held(loop, gateType, state, isWanted.ok);
  const { runner, root, config } = loop;
  const approved =
    gateType === 'phase_transition'
      ? await runner.approvePhaseGate(root, config)
      : await runner.approveCompletionGate(root, config);
  if (approved.ok) {
    loop.gatesApproved += 1;
    await loop.tell.event({ type: 'gate_approved', gateType, state: approved.state });
    return null;
  }
  const now = await stateNow(loop);
  // Someone else decided first; the next round reads that decision.
  if (now !== null && now.status !== 'paused') return null;
  loop.tell.problem(approved.error_code, `the gate could not be approved: ${approved.error}`);
  return held(loop, gateType, now ?? state, false);
}

async function asked(
  { callbacks, patience, tell }: LoopContext,
  type: GateType,
  state: RunState,
): Promise<{ readonly yes: boolean; readonly ok: boolean }> {
  const said = await settleWithin(() => callbacks.approveGate(type, state), patience);
  if (said.kind === 'done') return { yes: said.value === true, ok: true };
  const why = said.kind === 'threw' ? said.error.message : 'the callback did not end';
  tell.problem(said.kind === 'threw' ? 'callback_threw' : 'callback_left', `approveGate(${type}): ${why}`);
  return { yes: false, ok: false };
}

async function held(loop: LoopContext, gateType: GateType, state: RunState, ok: boolean): Promise<Stop> {
  await loop.tell.event({ type: 'gate_held', gateType, state });
  return ok ? stop('gate_held') : stop('gate_held', false);
}
