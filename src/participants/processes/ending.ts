/** Defines why a run stops, and the error for each reason. */

import { asError } from '../../core/lib/errors.ts';
import { AgentError, type AgentErrorDetails, describeExit } from '../agent/agent-error.ts';
import type { RunLimits } from './program.ts';

export type Watchdog = 'wall' | 'first_output' | 'idle' | 'after_result';

export type Ending =
  | { readonly kind: 'exit' }
  | { readonly kind: 'after_result' }
  | { readonly kind: 'timeout'; readonly watchdog: Exclude<Watchdog, 'after_result'> }
  | { readonly kind: 'aborted'; readonly reason: unknown }
  | { readonly kind: 'output_limit' }
  /** A listener threw. */
  | { readonly kind: 'thrown'; readonly thrown: unknown };

export type Failure = Exclude<Ending, { readonly kind: 'exit' | 'after_result' }>;

export interface About {
  readonly tool: string;
  readonly secrets: readonly string[];
  readonly bounds: RunLimits;
}

type CapturedOutput = Pick<AgentErrorDetails, 'exitCode' | 'signal' | 'stdout' | 'stderr'>;

/** The error a run rejects with. Errors of listeners are passed on unchanged. */
export function failureOf(failure: Failure, about: About, written?: CapturedOutput): unknown {
  if (failure.kind === 'thrown') return failure.thrown;
  const { tool, secrets, bounds } = about;
  const how = written === undefined ? '' : `; ${describeExit(written, secrets)}`;
  const watchdog = failure.kind === 'timeout' ? { watchdog: failure.watchdog } : {};
  const cause = failure.kind === 'aborted' ? { cause: failure.reason } : {};
  const problem = `${problemOf(failure, bounds)}${how}`;
  return new AgentError(failure.kind, problem, { tool, ...written, ...watchdog }, { secrets, ...cause });
}

function problemOf(failure: Exclude<Failure, { readonly kind: 'thrown' }>, bounds: RunLimits): string {
  switch (failure.kind) {
    case 'timeout':
      return `timeout: ${lateness(failure.watchdog, bounds)}, and was stopped`;
    case 'output_limit':
      return `output_limit: wrote more than ${bounds.maxOutputBytes} bytes, and was stopped`;
    case 'aborted':
      return failure.reason === undefined ? 'aborted' : `aborted: ${asError(failure.reason).message}`;
  }
}

function lateness(watchdog: Exclude<Watchdog, 'after_result'>, bounds: RunLimits): string {
  switch (watchdog) {
    case 'wall':
      return `did not end within ${bounds.wallMs} ms`;
    case 'first_output':
      return `wrote nothing within ${bounds.firstOutputMs} ms`;
    case 'idle':
      return `wrote nothing for ${bounds.idleMs} ms`;
  }
}
