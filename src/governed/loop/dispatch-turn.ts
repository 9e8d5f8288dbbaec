/** One try of a turn: its bundle is sealed, whoever does it is called, and has so long and no longer. */

import { isoFromMs } from '../../core/time.ts';
import { type GovernedConfig, getTurnStagingResultPath, type RunState, type Turn } from '../index.ts';
import { own } from '../engine/lib/unknown-record.ts';
import type { BundleDispatched, RunnerFailure } from '../runner/contract/types.ts';
import type { Journey } from '../../node/governed/loop/journey.ts';
import { type Outcome, outcomeOf } from '../../node/governed/loop/outcome.ts';
import { type Settled, settled } from '../../node/governed/loop/settled.ts';
import type { LoopAnswer } from './types.ts';

export type Dispatched =
  | Outcome
  | { readonly kind: 'threw'; readonly error: Error }
  | { readonly kind: 'late'; readonly timeoutMs: number }
  /** The loop is to end. What was answered all the same is kept for the next one. */
  | { readonly kind: 'aborted'; readonly answer: Outcome | null };

const DEFAULT_MINUTES = 120;

export function timeoutFor({ runtimes, timeouts }: GovernedConfig, turn: Turn, given: number | undefined): number {
  if (given !== undefined) return given;
  const timeout_ms = own(runtimes, turn.runtime_id)?.timeout_ms;
  if (typeof timeout_ms === 'number' && timeout_ms > 0) return timeout_ms;
  return (timeouts?.per_turn_minutes ?? DEFAULT_MINUTES) * 60_000;
}

/** The bundle of this try. A turn that was out when another loop ended is first told to have stalled. */
export async function sendOut(
  { runner, root, config }: Journey,
  { turn_id, status }: Turn,
): Promise<BundleDispatched | RunnerFailure> {
  if (status === 'dispatched' || status === 'starting' || status === 'running') {
    const stalled = await runner.transitionActiveTurnLifecycle(root, turn_id, 'stalled');
    if (!stalled.ok) return stalled;
  }
  const bundle = await runner.writeDispatchBundle(root, null, config, { turnId: turn_id });
  if (!bundle.ok) return bundle;
  const running = await runner.transitionActiveTurnLifecycle(root, turn_id, 'running');
  return running.ok ? { ...bundle, state: running.state } : running;
}

export async function dispatchTurn(journey: Journey, turn: Turn, bundle: BundleDispatched): Promise<Dispatched> {
  const { callbacks, clock, config, root, patience, options } = journey;
  const dispatchTimeoutMs = timeoutFor(config, turn, options.turnTimeoutMs);
  const limit = limitOf(journey, dispatchTimeoutMs);
  const state: RunState = bundle.state;
  const answered = await settled<LoopAnswer>(
    () =>
      callbacks.dispatch({
        turn: own(state.active_turns, turn.turn_id) ?? turn,
        state,
        bundlePath: bundle.bundlePath,
        stagingPath: getTurnStagingResultPath(turn.turn_id),
        bundleDigest: bundle.digest,
        config,
        root,
        dispatchTimeoutMs,
        dispatchDeadlineAt: isoFromMs(clock.now() + dispatchTimeoutMs),
        dispatchAbortSignal: limit.signal,
      }),
    { ...patience, signal: limit.signal },
  );
  limit.end();
  if (limit.isLate()) return { kind: 'late', timeoutMs: dispatchTimeoutMs };
  if (patience.signal.aborted) return { kind: 'aborted', answer: answerIn(answered, turn) };
  if (answered.kind === 'threw') return answered;
  return answerIn(answered, turn) ?? { kind: 'unusable', problem: 'it did not end' };
}

function answerIn(answered: Settled<unknown>, { assigned_role }: Turn): Outcome | null {
  return answered.kind === 'done' ? outcomeOf(answered.value, assigned_role) : null;
}

/** Aborted when the time is over, or when the whole loop is to end. */
function limitOf({ clock, patience }: Journey, timeoutMs: number) {
  const controller = new AbortController();
  let isOver = false;
  const end = clock.after(timeoutMs, () => {
    isOver = !controller.signal.aborted;
    controller.abort(new Error(`the ${timeoutMs} ms of this turn are over`));
  });
  const pass = (): void => controller.abort(patience.signal.reason);
  if (patience.signal.aborted) pass();
  else patience.signal.addEventListener('abort', pass, { once: true });
  return {
    signal: controller.signal,
    isLate: () => isOver,
    end: () => {
      end();
      patience.signal.removeEventListener('abort', pass);
    },
  };
}
