/** What the runner needs of the machine, and what it remembers between two calls. */

import { hostname } from 'node:os';
import type { Clock, Ids } from '../../../core/ports/platform.ts';
import { systemClock } from '../../../system/clock.ts';
import { systemIds } from '../../../system/ids.ts';
import type { Replay } from './run-log.ts';

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
export interface Kept {
  /** Who this process is to others. */
  readonly owner: string;
  /** The fence under which it works on a run, by the id of the session. */
  readonly fences: Map<string, number>;
  /** What was read of logs. */
  readonly replays: Map<string, Replay>;
}

export interface RunnerMeans extends RunnerPorts {
  readonly kept: Kept;
}

export function meansOf(given: Partial<RunnerPorts> = {}): RunnerMeans {
  const { clock = systemClock, ids = systemIds, variables = process.env, reached = () => undefined } = given;
  const owner = `${hostname()}:${process.pid}:${ids.hex32().slice(0, 8)}`;
  return { clock, ids, variables, reached, kept: { owner, fences: new Map(), replays: new Map() } };
}
