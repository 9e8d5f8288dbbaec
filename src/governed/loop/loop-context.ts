/** Provides the context of loop steps: stopping, reporting and waiting for callbacks. */

import { asError } from '../../core/lib/errors.ts';
import type { Clock } from '../../core/ports/platform.ts';
import type { GovernedConfig, RunState, Turn } from '../engine/index.ts';
import type { HeldLock } from '../files/lock.ts';
import type { Runner } from '../runner/contract/types.ts';
import type { LoopCallbacks, LoopError, LoopEvent, LoopOptions, StopReason, TurnRecord } from './types.ts';

export interface LoopPorts {
  readonly runner: Runner;
  readonly clock: Clock;
}

export interface LoopContext extends LoopPorts {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly callbacks: LoopCallbacks;
  readonly options: LoopOptions;
  readonly maxTurns: number;
  readonly patience: Patience;
  readonly tell: Reporter;
  /** Excludes other loops on this project. */
  readonly lock: HeldLock;
  readonly records: TurnRecord[];
  turnsExecuted: number;
  gatesApproved: number;
}

/** Why the loop ends. Without `ok`, the reason determines success. */
export interface Stop {
  readonly stop_reason: StopReason;
  readonly ok?: false;
}

export function stop(stop_reason: StopReason, ok?: false): Stop {
  return ok === undefined ? { stop_reason } : { stop_reason, ok };
}

export function failedAt(loop: LoopContext, failure: { error: string; error_code: string }, turnId?: string): Stop {
  loop.tell.problem(failure.error_code, failure.error, turnId);
  return stop('dispatch_error');
}

export function isAborted({ patience }: LoopContext): boolean {
  return patience.signal.aborted;
}

export function record(loop: LoopContext, turn: Turn, reason: string | null): void {
  const { assigned_role: role, turn_id, attempt } = turn;
  loop.records.push({ role, turn_id, attempt, accepted: reason === null, reason });
}

export async function stateNow({ runner, root, config }: LoopContext): Promise<RunState | null> {
  return runner.loadState(root, config);
}

interface Reporter {
  readonly errors: readonly LoopError[];
  /** Resolves when the caller's `onEvent` has settled. */
  event(event: LoopEvent): Promise<void>;
  problem(code: string, message: string, turnId?: string | null): void;
}

export function createReporter({ onEvent }: Pick<LoopCallbacks, 'onEvent'>, patience: Patience): Reporter {
  const errors: LoopError[] = [];
  const problem: Reporter['problem'] = (code, message, turn_id = null) => void errors.push({ code, message, turn_id });
  let last: Promise<void> = Promise.resolve();
  return {
    errors,
    problem,
    event(event) {
      last = last.then(async () => {
        const heard = await settleWithin(() => onEvent?.(event), patience);
        if (heard.kind === 'threw') problem('callback_threw', `onEvent(${event.type}): ${heard.error.message}`);
        if (heard.kind === 'left') problem('callback_left', `onEvent(${event.type}) did not end`);
      });
      return last;
    },
  };
}

export type SettleResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: Error }
  /** The callback did not end within the grace period after the abort; its later outcome is ignored. */
  | { readonly kind: 'left' };

export interface Patience {
  readonly clock: Pick<Clock, 'after'>;
  readonly signal: AbortSignal;
  readonly graceMs: number;
}

export async function settleWithin<T>(
  call: () => T | Promise<T>,
  { clock, signal, graceMs }: Patience,
): Promise<SettleResult<T>> {
  let stop: () => void = () => undefined;
  let wait: () => void = () => undefined;
  const left = new Promise<SettleResult<T>>((resolve) => {
    wait = () => {
      stop = clock.after(graceMs, () => resolve({ kind: 'left' }));
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  const own = (async (): Promise<SettleResult<T>> => {
    try {
      return { kind: 'done', value: await call() };
    } catch (thrown) {
      return { kind: 'threw', error: asError(thrown) };
    }
  })();
  try {
    return await Promise.race([own, left]);
  } finally {
    stop();
    signal.removeEventListener('abort', wait);
  }
}
