/** What brings a turn to whoever does it, and its result back: the same three steps for a person, a program or a service. */

import type { Clock } from '../../../core/ports/platform.ts';
import type { ModelFetch } from '../../../participants/models/index.ts';
import type { GovernedConfig, TurnResult } from '../../engine/index.ts';
import type { UnknownRecord } from '../../engine/lib/unknown-record.ts';
import type { Variables } from '../../hooks/variables.ts';
import type { DriverFailure } from './failure.ts';

/**
 * Called in this order, once for a turn: `dispatch`, `wait`, `collect`. What one of them throws is a failure of the turn. `wait`
 * ends by itself when its time is over or the signal is aborted; who does not is not waited for.
 */
export interface RuntimeDriver {
  readonly name: string;
  /** How long `wait` is given unless whoever runs the turn says otherwise; without it, what the assignment says. */
  readonly timeoutMs?: number | undefined;
  /** The bundle is on the disk. Nothing has begun. */
  dispatch(bundle: DispatchBundle): Promise<void>;
  wait(turnId: string, timeoutMs: number, signal?: AbortSignal): Promise<DriverWaitResult>;
  /** `rawData` is the `data` of a turn that was completed. What comes of it is judged by the run. */
  collect(turnId: string, rawData: unknown): Promise<TurnResult>;
}

export interface DriverWaitResult {
  readonly status: 'completed' | 'failed';
  readonly data: unknown;
  /** Of a failure, in a word: `timeout`. */
  readonly reason?: string | undefined;
  readonly failure?: DriverFailure | undefined;
}

/** A bundle as it was read from the disk. Paths are relative to the root. */
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
  /** ASSIGNMENT.json. */
  readonly assignment: UnknownRecord;
  /** PROMPT.md. */
  readonly prompt: string;
  /** CONTEXT.md. */
  readonly context: string;
}

/** What an adapter is made with. */
export interface DriverContext {
  readonly root: string;
  readonly config: GovernedConfig;
  readonly runtimeId: string;
  /** Of the runtime, without its type. */
  readonly settings: UnknownRecord;
  readonly clock: Clock;
  /** `${NAME}` and the keys of services come from here. */
  readonly variables: Variables;
  readonly fetch: ModelFetch;
  /** Of whoever runs the turn: what hangs before it waits is not waited for either. */
  readonly signal: AbortSignal | undefined;
  /** Lines for whoever looks on. */
  write(text: string): void;
}
