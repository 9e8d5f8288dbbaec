/** Drives a run until it is done, somebody has to decide something, or it is told to stop. Nothing is thrown. */

import { asError } from '../../../core/lib/errors.ts';
import type { RunState } from '../../../governed/index.ts';
import { beginRun } from './begin.ts';
import { chooseTurns } from './choose.ts';
import { atGate } from './gate.ts';
import { isAborted, type Journey, type LoopPorts, type Stop, stateNow, stop } from './journey.ts';
import { type NotReady, readied } from '../../../governed/loop/prepare.ts';
import { acceptLeft } from '../../../governed/loop/handle-result.ts';
import type { LoopCallbacks, LoopOptions, LoopResult, StopReason } from '../../../governed/loop/types.ts';
import { work } from '../../../governed/loop/run-round.ts';

/** It ended where it was meant to, or where the caller wanted it to. */
const WELL: readonly StopReason[] = ['completed', 'gate_held', 'caller_stopped', 'max_turns_reached'];

export type RunLoop = (
  root: string,
  config: unknown,
  callbacks: LoopCallbacks,
  options?: LoopOptions,
) => Promise<LoopResult>;

export function loopOver(ports: LoopPorts): RunLoop {
  return async (root, config, callbacks, options = {}) => {
    const ready = await readied(ports, { root, config, callbacks, options }).catch(unreadable);
    if (ready.kind === 'not_ready') return notBegun(ready);
    const { journey } = ready;
    try {
      return await resultOf(journey, await travelled(journey));
    } finally {
      await journey.lock.release();
    }
  };
}

/** Arguments that cannot even be looked at. */
function unreadable(thrown: unknown): NotReady {
  const message = `arguments that can be read were expected: ${asError(thrown).message}`;
  return { kind: 'not_ready', stop_reason: 'init_failed', errors: [{ code: 'bad_argument', message, turn_id: null }] };
}

function notBegun({ stop_reason, errors }: NotReady): LoopResult {
  const nothing = { turns_executed: 0, turn_history: [], gates_approved: 0 };
  return { ok: false, stop_reason, state: null, ...nothing, errors };
}

async function travelled(journey: Journey): Promise<Stop> {
  try {
    return (await beginRun(journey)) ?? (await takeLeft(journey)) ?? (await travel(journey));
  } catch (thrown) {
    journey.tell.problem('unexpected', asError(thrown).message);
    return stop('dispatch_error');
  }
}

/** What another loop has left behind: handed in, and not taken in. */
async function takeLeft(journey: Journey): Promise<Stop | null> {
  const state = await stateNow(journey);
  if (state?.status !== 'active') return null;
  for (const turn of Object.values(state.active_turns)) {
    if (isAborted(journey)) return stop('aborted');
    const end = await acceptLeft(journey, turn);
    if (end !== null) return end;
  }
  return null;
}

async function travel(journey: Journey): Promise<Stop> {
  for (;;) {
    if (isAborted(journey)) return stop('aborted');
    if (!(await journey.lock.isHeld())) return lost(journey);
    const state = await stateNow(journey);
    if (state === null) return gone(journey);
    if (state.status === 'paused') {
      const held = await atGate(journey, state);
      if (held !== null) return held;
      continue;
    }
    const end = await ended(journey, state);
    if (end !== null) return end;
    const chosen = await chooseTurns(journey, state);
    if ('stop_reason' in chosen) return chosen;
    const worked = await work(journey, chosen.turns);
    if (worked !== null) return worked;
  }
}

async function ended({ tell, maxTurns, turnsExecuted }: Journey, state: RunState): Promise<Stop | null> {
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

function lost({ tell }: Journey): Stop {
  tell.problem('loop_taken_over', 'another loop works on this project now');
  return stop('dispatch_error');
}

function gone({ tell }: Journey): Stop {
  tell.problem('no_run', 'the run is not there any more');
  return stop('dispatch_error');
}

async function resultOf(journey: Journey, { stop_reason, ok }: Stop): Promise<LoopResult> {
  const { turnsExecuted, records, gatesApproved, tell } = journey;
  return {
    ok: ok ?? WELL.includes(stop_reason),
    stop_reason,
    state: await stateNow(journey).catch(() => null),
    turns_executed: turnsExecuted,
    turn_history: records,
    gates_approved: gatesApproved,
    errors: tell.errors,
  };
}
