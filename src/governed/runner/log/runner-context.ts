/** What every operation of the runner gets: ports, memory of this process, and the run that is open. */

import { hostname } from 'node:os';
import type { Clock, Ids } from '../../../core/ports/platform.ts';
import { systemClock } from '../../../system/clock.ts';
import { systemIds } from '../../../system/ids.ts';
import type { GovernedConfig, RunState } from '../../engine/index.ts';
import type { Replay, RunLog, RunLogs } from './run-log.ts';

export interface RunnerPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** What `${NAME}` in hooks and notifications stands for. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Told of every step that is done, and waited for: a test ends the process there. */
  readonly reached: (step: RunnerStep) => void | Promise<void>;
}

/** In the order in which an acceptance takes them. */
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

/** The process keeps these for its whole life. */
interface RunnerMemory {
  /** Who this process is to others. */
  readonly owner: string;
  /** The fence under which it works on a run, by the id of the session. */
  readonly fences: Map<string, number>;
  /** What was read of logs. */
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

/** Where an operation is done: the run, and what it is judged by. */
export interface Running extends OpenRun {
  readonly log: RunLog;
  readonly config: GovernedConfig;
}

export function stateOf({ log }: { readonly log: RunLog }): RunState {
  return log.record.state.run;
}

/** Now, as it stands in records. */
export function nowOf({ means }: OpenRun): string {
  return new Date(means.clock.now()).toISOString();
}
