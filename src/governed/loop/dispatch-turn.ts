/** Dispatches one turn, waits for its answer until the timeout, and classifies the outcome. */

import { isoFromMs } from '../../core/lib/time.ts';
import { type GovernedConfig, getTurnStagingResultPath, type RunState, type Turn } from '../engine/index.ts';
import { getOwn, isMissing, isNonEmptyText, isRecord, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import type { BlockDetails, BundleDispatched, RunnerFailure } from '../runner/contract/types.ts';
import { type LoopContext, settleWithin } from './loop-context.ts';
import type { LoopAnswer } from './types.ts';

export type Dispatched =
  | Outcome
  | { readonly kind: 'threw'; readonly error: Error }
  | { readonly kind: 'late'; readonly timeoutMs: number }
  /** The loop is stopping. An answer that arrived within the grace period is kept for the next loop. */
  | { readonly kind: 'aborted'; readonly answer: Outcome | null };

const DEFAULT_MINUTES = 120;

function timeoutFor({ runtimes, timeouts }: GovernedConfig, turn: Turn, given: number | undefined): number {
  if (given !== undefined) return given;
  const timeout_ms = getOwn(runtimes, turn.runtime_id)?.timeout_ms;
  if (typeof timeout_ms === 'number' && timeout_ms > 0) return timeout_ms;
  return (timeouts?.per_turn_minutes ?? DEFAULT_MINUTES) * 60_000;
}

/** Writes the bundle of this attempt. First marks the turn as stalled if an earlier loop dispatched it. */
export async function writeAttemptBundle(
  { runner, root, config }: LoopContext,
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

export async function dispatchTurn(loop: LoopContext, turn: Turn, bundle: BundleDispatched): Promise<Dispatched> {
  const { callbacks, clock, config, root, patience, options } = loop;
  const dispatchTimeoutMs = timeoutFor(config, turn, options.turnTimeoutMs);
  const limit = limitOf(loop, dispatchTimeoutMs);
  const state: RunState = bundle.state;
  const answered = await settleWithin<LoopAnswer>(
    () =>
      callbacks.dispatch({
        turn: getOwn(state.active_turns, turn.turn_id) ?? turn,
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
  const answer = answered.kind === 'done' ? outcomeOf(answered.value, turn.assigned_role) : null;
  if (patience.signal.aborted) return { kind: 'aborted', answer };
  if (answered.kind === 'threw') return answered;
  return answer ?? { kind: 'unusable', problem: 'the dispatch did not end' };
}

function limitOf({ clock, patience }: LoopContext, timeoutMs: number) {
  const controller = new AbortController();
  let isOver = false;
  const end = clock.after(timeoutMs, () => {
    isOver = !controller.signal.aborted;
    controller.abort(new Error(`the turn exceeded its ${timeoutMs} ms`));
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

export type Outcome =
  | { readonly kind: 'result'; readonly result: UnknownRecord }
  | { readonly kind: 'staged' }
  | { readonly kind: 'rejected'; readonly reason: string; readonly errors: readonly string[] }
  | { readonly kind: 'blocked'; readonly details: Omit<BlockDetails, 'turnId'> }
  | { readonly kind: 'unusable'; readonly problem: string };

function outcomeOf(answer: unknown, role: string): Outcome {
  if (!isRecord(answer))
    return { kind: 'unusable', problem: `expected an object with accept, got ${typeName(answer)}` };
  if (answer.accept === true) return acceptedWith(answer);
  if (answer.accept !== false) {
    return { kind: 'unusable', problem: `accept: expected true or false, got ${typeName(answer.accept)}` };
  }
  const reason = isNonEmptyText(answer.reason) ? answer.reason : 'the dispatch gave no reason';
  if (answer.blocked === true) return blockedBy(answer, reason, role);
  const { errors } = answer;
  return { kind: 'rejected', reason, errors: Array.isArray(errors) ? errors.filter(isNonEmptyText) : [] };
}

function acceptedWith({ turnResult }: UnknownRecord): Outcome {
  if (isMissing(turnResult)) return { kind: 'staged' };
  if (isRecord(turnResult) && isClaim(turnResult)) return { kind: 'result', result: turnResult };
  const expected = 'schema_version, one of run_id and turn_id, and one of status, role and runtime_id';
  return { kind: 'rejected', reason: `turnResult: expected an object with ${expected}`, errors: [] };
}

/** Requires the minimum that identifies a result; the validation stages check the rest. */
function isClaim({ schema_version, run_id, turn_id, status, role, runtime_id }: UnknownRecord): boolean {
  const isThere = (value: unknown): boolean => !isMissing(value) && value !== '';
  return isThere(schema_version) && [run_id, turn_id].some(isThere) && [status, role, runtime_id].some(isThere);
}

function blockedBy({ blockedOn, category, recovery }: UnknownRecord, reason: string, role: string): Outcome {
  const details = {
    blockedOn: isNonEmptyText(blockedOn) ? blockedOn : `dispatch:${role}`,
    category: isNonEmptyText(category) ? category : 'dispatch_error',
    recovery: {
      detail: reason,
      ...(isNonEmptyText(recovery) ? { recovery_action: recovery } : isRecord(recovery) ? recovery : {}),
    },
  };
  return { kind: 'blocked', details };
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
}
