/** Defines the context of runner operations: ports, process memory, and the open run. */

import { hostname } from 'node:os';
import type { Clock, Ids } from '../../../core/ports/platform.ts';
import { systemClock } from '../../../system/clock.ts';
import { systemIds } from '../../../system/ids.ts';
import type { GovernedConfig, RunState } from '../../engine/index.ts';
import type { Replay, RunLog, RunLogs } from './run-log.ts';

export interface RunnerPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Values of `${NAME}` in hooks and notifications. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Awaited after every step, so that tests can stop the process at that step. */
  readonly reached: (step: RunnerStep) => void | Promise<void>;
}

export const RUNNER_STEPS = [
  'locked',
  'opened',
  'mended',
  'validated',
  'evidence_kept',
  'posted',
  'projected_history',
  'projected_ledger',
  'projected_repo_decisions',
  'projected_events',
  'projected_state',
  'projected_index',
  'hooks_run',
  'followed_up',
  'cleaned_up',
  'closed',
  'released',
] as const;
export type RunnerStep = (typeof RUNNER_STEPS)[number];

/** Data kept for the life of the process. */
interface RunnerMemory {
  /** Identifies this process to other processes. */
  readonly owner: string;
  readonly fences: Map<string, number>;
  readonly replays: Map<string, Replay>;
}

export interface RunnerContext extends RunnerPorts {
  readonly kept: RunnerMemory;
}

export function runnerContext(given: Partial<RunnerPorts> = {}): RunnerContext {
  const { clock = systemClock, ids = systemIds, variables = process.env, reached = () => undefined } = given;
  const owner = `${hostname()}:${process.pid}:${ids.hex32().slice(0, 8)}`;
  return { clock, ids, variables, reached, kept: { owner, fences: new Map(), replays: new Map() } };
}

export interface OpenRun {
  readonly root: string;
  readonly logs: RunLogs;
  readonly means: RunnerContext;
}

export interface Running extends OpenRun {
  readonly log: RunLog;
  readonly config: GovernedConfig;
}

export function stateOf({ log }: { readonly log: RunLog }): RunState {
  return log.record.state.run;
}

/** Returns the current time in the format of records. */
export function nowOf({ means }: OpenRun): string {
  return new Date(means.clock.now()).toISOString();
}
