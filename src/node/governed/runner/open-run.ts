/** A project whose runs are open for one operation. */

import type { GovernedConfig, RunState } from '../../../governed/index.ts';
import type { RunLog, RunLogs } from './log/run-log.ts';
import type { RunnerMeans } from '../../../governed/runner/log/runner-context.ts';

export interface OpenRun {
  readonly root: string;
  readonly logs: RunLogs;
  readonly means: RunnerMeans;
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
