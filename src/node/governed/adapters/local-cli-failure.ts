/** What a program that failed is a case of. What it wrote is a hint and no more: a model may have written it. */

import { type AgentError, type AgentErrorKind, describeExit } from '../../../participants/agent/agent-error.ts';
import { redactSecrets } from '../../../participants/lib/redact-secrets.ts';
import { kindOfText, retryAfterMsIn } from '../../../participants/clis/output/failure-kind.ts';
import type { Ran } from '../../../participants/processes/program.ts';
import { type AdapterErrorClass, type AdapterFailure, failureOf } from '../../../governed/drivers/attempt/failure.ts';

/** It could not be started, or was ended by us. */
export function runFailure(error: AgentError, secrets: readonly string[]): AdapterFailure {
  const { kind, message, details } = error;
  const { exitCode, signal } = details;
  const more = {
    secrets,
    ...(typeof exitCode === 'number' ? { exit_code: exitCode } : {}),
    ...(typeof signal === 'string' ? { signal } : {}),
  };
  if (kind === 'timeout' && details.watchdog !== 'wall') return failureOf('no_output', message, more);
  return failureOf(ENDED[kind] ?? 'process_exit', message, more);
}

const ENDED: Readonly<Partial<Record<AgentErrorKind, AdapterErrorClass>>> = {
  spawn_failed: 'spawn_failed',
  timeout: 'timeout',
  aborted: 'aborted',
  output_limit: 'output_limit',
};

/** It ended by itself, and not well. */
export function exitFailure(tool: string, ran: Ran, secrets: readonly string[]): AdapterFailure {
  const { exitCode, signal } = ran;
  const shown = { ...ran, stdout: redactSecrets(ran.stdout, secrets), stderr: redactSecrets(ran.stderr, secrets) };
  const detail = `${tool}: ${describeExit(shown)}`;
  if (exitCode === null) {
    const name = signal ?? 'unknown';
    return failureOf('process_killed', detail, { secrets, reason: `signal_${name}`, signal: name });
  }
  const said = `${ran.stderr.slice(-MOST_HINT_CHARS)}\n${ran.stdout.slice(-MOST_HINT_CHARS)}`;
  const kind = kindOfText(said);
  const retryAfterMs = kind === 'rate_limited' ? retryAfterMsIn(said) : null;
  return failureOf(HINTS[kind ?? 'non_zero_exit'] ?? 'process_exit', detail, {
    secrets,
    reason: `exit_code_${exitCode}`,
    exit_code: exitCode,
    ...(retryAfterMs === null ? {} : { retry_after_ms: retryAfterMs }),
  });
}

/** The end of what it wrote: that is where a program says why. */
const MOST_HINT_CHARS = 2_000;

const HINTS: Readonly<Partial<Record<AgentErrorKind, AdapterErrorClass>>> = {
  auth: 'auth_failure',
  rate_limited: 'rate_limited',
  overloaded: 'provider_overloaded',
  budget_exceeded: 'spend_limit',
};
