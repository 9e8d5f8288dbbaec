/** The contract of a runtime driver: dispatch a turn, wait, collect its result. */

import type { Clock } from '../../../core/ports/platform.ts';
import type { ModelFetch } from '../../../participants/models/index.ts';
import type { GovernedConfig, TurnResult } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import type { Variables } from '../../hooks/variables.ts';
import type { DriverFailure } from './failure.ts';

/**
 * Called once per turn in this order: `dispatch`, `wait`, `collect`. An error thrown by any step fails the turn.
 * `wait` must end at its timeout or when the signal aborts; the caller stops waiting then in any case.
 */
export interface RuntimeDriver {
  readonly name: string;
  /** Default timeout of `wait`; without it, the timeout of the assignment applies. */
  readonly timeoutMs?: number | undefined;
  /** Called when the bundle is on disk and work has not begun. */
  dispatch(bundle: DispatchBundle): Promise<void>;
  wait(turnId: string, timeoutMs: number, signal?: AbortSignal): Promise<DriverWaitResult>;
  /** `rawData` is the `data` of a completed wait. The run validates the result. */
  collect(turnId: string, rawData: unknown): Promise<TurnResult>;
}

export interface DriverWaitResult {
  readonly status: 'completed' | 'failed';
  readonly data: unknown;
  readonly reason?: string | undefined;
  readonly failure?: DriverFailure | undefined;
}

/** A bundle read from disk. Paths are relative to the root. */
export interface DispatchBundle {
  readonly root: string;
  readonly run_id: string;
  readonly turn_id: string;
  readonly role: string;
  readonly phase: string;
  readonly runtime_id: string;
  readonly attempt: number;
  readonly timeout_ms: number;
  readonly dispatch_dir: string;
  readonly staging_path: string;
  readonly assignment: UnknownRecord;
  readonly prompt: string;
  readonly context: string;
}

export interface DriverContext {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly runtimeId: string;
  readonly settings: UnknownRecord;
  readonly clock: Clock;
  /** Variables for `${NAME}` and service keys. */
  readonly variables: Variables;
  readonly fetch: ModelFetch;
  /** Cancels the steps before and after `wait` too. */
  readonly signal: AbortSignal | undefined;
  write(text: string): void;
}
