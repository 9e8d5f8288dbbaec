/** A program does the turn. It is run in a group of its own; when waiting is over nothing of it runs any more. */

import type { Unknowns } from '../../../governed/engine/lib/unknown-record.ts';
import { type AgentErrorDetails, isAgentError } from '../../../participants/agent/agent-error.ts';
import type { Ran, RunLimitOptions } from '../../../participants/processes/program.ts';
import { runProgram } from '../../../participants/processes/run-program.ts';
import { readStagedResult } from '../../../governed/staging/staged-result.ts';
import type { Adapter, AdapterContext, AdapterWaited, DispatchBundle } from '../../../governed/drivers/attempt/driver.ts';
import { keepLog } from '../../../governed/drivers/attempt/attempt-files.ts';
import { exitFailure, runFailure } from './local-cli-failure.ts';
import { LOCAL_CLI, type LocalCliSettings, type Prepared, prepareProgram } from '../../../governed/drivers/local-cli-program.ts';
import { collected } from './result-in.ts';
import { settingsOf } from '../../../governed/drivers/attempt/settings.ts';
import { completed, failed, failedWith, notDispatched } from './waited.ts';

interface Out extends Prepared {
  readonly bundle: DispatchBundle;
  /** The version of the file that was staged before it was started. */
  readonly before: string | null;
}

export function localCliAdapter(context: AdapterContext): Adapter {
  const settings = settingsOf(LOCAL_CLI, context);
  const out = new Map<string, Out>();
  return {
    name: 'local_cli',
    timeoutMs: settings.timeout_ms,
    async dispatch(bundle) {
      const staged = await readStagedResult(context.root, bundle.turn_id);
      const before = staged.kind === 'ready' ? staged.version : null;
      out.set(bundle.turn_id, { ...(await prepareProgram(bundle, settings, context)), bundle, before });
    },
    async wait(turnId, timeoutMs, signal) {
      const found = out.get(turnId);
      if (found === undefined) return notDispatched(turnId);
      out.delete(turnId);
      try {
        return await ranFor(found, limitsOf(settings, timeoutMs), signal);
      } finally {
        await found.remove();
      }
    },
    collect: async (_, data) => collected(data),
  };
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

/** From SIGTERM to SIGKILL. */
const GRACE_MS = 5_000;

async function ranFor(out: Out, limits: RunLimitOptions, signal: AbortSignal | undefined): Promise<AdapterWaited> {
  let ran: Ran;
  try {
    ran = await runProgram(out.program, { signal }, limits);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    await keepOutput(out, thrown.details);
    return failedWith(runFailure(thrown, out.secrets));
  }
  await keepOutput(out, ran);
  if (ran.exitCode !== 0) return failedWith(exitFailure(out.program.tool, ran, out.secrets));
  return staged(out);
}

async function keepOutput(
  { bundle, secrets }: Out,
  { stdout = '', stderr = '' }: Pick<AgentErrorDetails, 'stdout' | 'stderr'>,
): Promise<void> {
  await keepLog(bundle, 'stdout.log', stdout, secrets);
  await keepLog(bundle, 'stderr.log', stderr, secrets);
}

/** It ended well: what it staged is its result. */
async function staged({ bundle, before, program }: Out): Promise<AdapterWaited> {
  const { root, turn_id, staging_path } = bundle;
  const found = await readStagedResult(root, turn_id);
  const nothing = `${program.tool} ended with exit code 0 and staged no result at ${staging_path}`;
  switch (found.kind) {
    case 'ready': {
      const result: Unknowns = found.result;
      return found.version === before
        ? failed('no_result', `${nothing}; what is there was there before it was started`)
        : completed(result);
    }
    case 'absent':
      return failed('no_result', nothing);
    case 'partial':
    case 'refused':
      return failed('invalid_result', `${staging_path}: ${found.problem}`);
  }
}
