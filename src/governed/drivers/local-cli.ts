/** Runs a turn as a program in its own process group, and ends the whole group before the wait returns. */

import {
  type AgentError,
  type AgentErrorDetails,
  type AgentErrorKind,
  describeExit,
  isAgentError,
} from '../../participants/agent/agent-error.ts';
import { kindOfText, parseRetryAfterMs } from '../../participants/clis/output/failure-kind.ts';
import { redactSecrets } from '../../participants/lib/redact-secrets.ts';
import type { ProgramResult, RunLimitOptions } from '../../participants/processes/program.ts';
import { runProgram } from '../../participants/processes/run-program.ts';
import { readStagedResult } from '../staging/staged-result.ts';
import { saveAttemptLog } from './attempt/attempt-files.ts';
import type { DispatchBundle, DriverContext, DriverWaitResult, RuntimeDriver } from './attempt/driver.ts';
import { type AdapterErrorClass, type DriverFailure, failureOf } from './attempt/failure.ts';
import { settingsOf } from './attempt/settings.ts';
import { builtInDriver, completed, failed, failedWith } from './attempt/wait-result.ts';
import { LOCAL_CLI, type LocalCliSettings, type PreparedProgram, prepareProgram } from './local-cli-program.ts';

interface Out extends PreparedProgram {
  readonly bundle: DispatchBundle;
  readonly before: string | null;
}

export function localCliDriver(context: DriverContext): RuntimeDriver {
  const settings = settingsOf(LOCAL_CLI, context);
  return builtInDriver<Out>({
    name: 'local_cli',
    timeoutMs: settings.timeout_ms,
    async dispatch(bundle) {
      const staged = await readStagedResult(context.root, bundle.turn_id);
      const before = staged.kind === 'ready' ? staged.version : null;
      return { ...(await prepareProgram(bundle, settings, context)), bundle, before };
    },
    async wait(out, timeoutMs, signal) {
      try {
        return await runWithin(out, limitsOf(settings, timeoutMs), signal);
      } finally {
        await out.remove();
      }
    },
  });
}

function limitsOf(settings: LocalCliSettings, timeoutMs: number): RunLimitOptions {
  return {
    wallMs: timeoutMs,
    firstOutputMs: settings.startup_watchdog_ms ?? null,
    idleMs: settings.silence_watchdog_ms ?? null,
    graceMs: GRACE_MS,
    maxOutputBytes: settings.max_output_bytes,
  };
}

/** Time from SIGTERM to SIGKILL. */
const GRACE_MS = 5_000;

async function runWithin(
  out: Out,
  limits: RunLimitOptions,
  signal: AbortSignal | undefined,
): Promise<DriverWaitResult> {
  let ran: ProgramResult;
  try {
    ran = await runProgram(out.program, { signal }, limits);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    await keepOutput(out, thrown.details);
    return failedWith(runFailure(thrown, out.secrets));
  }
  await keepOutput(out, ran);
  if (ran.exitCode !== 0) return failedWith(exitFailure(out.program.tool, ran, out.secrets));
  return stagedBy(out);
}

async function keepOutput(
  { bundle, secrets }: Out,
  { stdout = '', stderr = '' }: Pick<AgentErrorDetails, 'stdout' | 'stderr'>,
): Promise<void> {
  await saveAttemptLog(bundle, 'stdout.log', stdout, secrets);
  await saveAttemptLog(bundle, 'stderr.log', stderr, secrets);
}

/** After exit code 0, the staged file is the result. */
async function stagedBy({ bundle, before, program }: Out): Promise<DriverWaitResult> {
  const { root, turn_id, staging_path } = bundle;
  const found = await readStagedResult(root, turn_id);
  const nothing = `${program.tool} ended with exit code 0 and staged no result at ${staging_path}`;
  switch (found.kind) {
    case 'ready':
      return found.version === before
        ? failed('no_result', `${nothing}; the file there is from before the start`)
        : completed(found.result);
    case 'absent':
      return failed('no_result', nothing);
    case 'partial':
    case 'refused':
      return failed('invalid_result', `${staging_path}: ${found.problem}`);
  }
}

function runFailure(error: AgentError, secrets: readonly string[]): DriverFailure {
  const { kind, message, details } = error;
  const { exitCode, signal } = details;
  const more = { secrets, exit_code: exitCode ?? undefined, signal: signal ?? undefined };
  if (kind === 'timeout' && details.watchdog !== 'wall') return failureOf('no_output', message, more);
  return failureOf(ENDED[kind] ?? 'process_exit', message, more);
}

const ENDED: Readonly<Partial<Record<AgentErrorKind, AdapterErrorClass>>> = {
  spawn_failed: 'spawn_failed',
  timeout: 'timeout',
  aborted: 'aborted',
  output_limit: 'output_limit',
};

/** Describes a program that failed. Its output is only a hint, because a model may have written it. */
function exitFailure(tool: string, ran: ProgramResult, secrets: readonly string[]): DriverFailure {
  const { exitCode, signal } = ran;
  const shown = { ...ran, stdout: redactSecrets(ran.stdout, secrets), stderr: redactSecrets(ran.stderr, secrets) };
  const detail = `${tool}: ${describeExit(shown)}`;
  if (exitCode === null) {
    const name = signal ?? 'unknown';
    return failureOf('process_killed', detail, { secrets, reason: `signal_${name}`, signal: name });
  }
  const said = `${ran.stderr.slice(-MAX_HINT_CHARS)}\n${ran.stdout.slice(-MAX_HINT_CHARS)}`;
  const kind = kindOfText(said);
  const retryAfterMs = kind === 'rate_limited' ? parseRetryAfterMs(said) : null;
  return failureOf(HINTS[kind ?? 'non_zero_exit'] ?? 'process_exit', detail, {
    secrets,
    reason: `exit_code_${exitCode}`,
    exit_code: exitCode,
    retry_after_ms: retryAfterMs ?? undefined,
  });
}

/** Characters kept from the end of the output, where programs print the reason. */
const MAX_HINT_CHARS = 2_000;

const HINTS: Readonly<Partial<Record<AgentErrorKind, AdapterErrorClass>>> = {
  auth: 'auth_failure',
  rate_limited: 'rate_limited',
  overloaded: 'provider_overloaded',
  budget_exceeded: 'spend_limit',
};
