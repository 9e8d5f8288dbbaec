/** One call of the run loop: what it was given, and what it has come to so far. */

import type { Clock } from '../../../core/ports/platform.ts';
import type { GovernedConfig, RunState, Turn } from '../../../governed/index.ts';
import type { HeldLock } from '../../../governed/files/lock.ts';
import type { Runner } from '../../../governed/runner/contract/types.ts';
import type { Patience } from './settled.ts';
import type { Tell } from './tell.ts';
import type { LoopCallbacks, LoopOptions, StopReason, TurnRecord } from '../../../governed/loop/types.ts';

export interface LoopPorts {
  readonly runner: Runner;
  readonly clock: Clock;
}

export interface Journey extends LoopPorts {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly callbacks: LoopCallbacks;
  readonly options: LoopOptions;
  readonly maxTurns: number;
  readonly patience: Patience;
  readonly tell: Tell;
  /** No other loop has this project. */
  readonly lock: HeldLock;
  readonly records: TurnRecord[];
  turnsExecuted: number;
  gatesApproved: number;
}

/** Why it ends. `ok` is what the reason says unless told otherwise. */
export interface Stop {
  readonly stop_reason: StopReason;
  readonly ok?: false;
}

export function stop(stop_reason: StopReason, ok?: false): Stop {
  return ok === undefined ? { stop_reason } : { stop_reason, ok };
}

/** It was told what is wrong; nothing else is to be done. */
export function failedAt(journey: Journey, failure: { error: string; error_code: string }, turnId?: string): Stop {
  journey.tell.problem(failure.error_code, failure.error, turnId);
  return stop('dispatch_error');
}

export function isAborted({ patience }: Journey): boolean {
  return patience.signal.aborted;
}

export function record(journey: Journey, turn: Turn, reason: string | null): void {
  const { assigned_role: role, turn_id, attempt } = turn;
  journey.records.push({ role, turn_id, attempt, accepted: reason === null, reason });
}

export async function stateNow({ runner, root, config }: Journey): Promise<RunState | null> {
  return runner.loadState(root, config);
}
