/** Lets a person do a turn: prints instructions and waits for a complete staged result. */

import { z } from 'zod';
import {
  MANUAL_TIMEOUT_MS,
  POLL_INTERVAL_MS,
  readStagedResult,
  type StagedResult,
  type StagedWaitResult,
  waitForStagedResult,
} from '../staging/staged-result.ts';
import type { DispatchBundle, DriverContext, DriverWaitResult, RuntimeDriver } from './attempt/driver.ts';
import { CANCELLED } from './attempt/failure.ts';
import { settingsOf } from './attempt/settings.ts';
import { builtInDriver, completed, failed } from './attempt/wait-result.ts';

interface ManualSettings {
  readonly poll_interval_ms: number;
  readonly timeout_ms: number;
}

export const MANUAL: z.ZodType<ManualSettings> = z.looseObject({
  poll_interval_ms: z.number().positive().default(POLL_INTERVAL_MS),
  timeout_ms: z.number().positive().default(MANUAL_TIMEOUT_MS),
});

export function manualDriver(context: DriverContext): RuntimeDriver {
  const { poll_interval_ms: pollIntervalMs, timeout_ms: timeoutMs } = settingsOf(MANUAL, context);
  const { root, clock, write } = context;
  return builtInDriver({
    name: 'manual',
    timeoutMs,
    async dispatch(bundle) {
      const { turn_id, attempt } = bundle;
      const staged = await readStagedResult(root, turn_id);
      // A result staged before the first attempt counts, because it may predate this runner.
      const except = attempt > 1 && staged.kind === 'ready' ? staged.version : undefined;
      write(instructions(bundle, except !== undefined));
      return { turn_id, except };
    },
    async wait({ turn_id, except }, timeoutMs, signal) {
      const options = { pollIntervalMs, timeoutMs, signal, clock, except };
      return waitResult(await waitForStagedResult(root, turn_id, options), timeoutMs);
    },
  });
}

function waitResult(waited: StagedWaitResult, timeoutMs: number): DriverWaitResult {
  switch (waited.kind) {
    case 'ready':
      return completed(waited.result);
    case 'refused':
      return failed('invalid_result', waited.problem);
    case 'aborted':
      return failed('aborted', CANCELLED);
    case 'timeout':
      return failed('timeout', `no result within ${timeoutMs} ms: ${lastSeen(waited.last)}`);
  }
}

function lastSeen(last: StagedResult): string {
  if (last.kind === 'absent') return 'nothing was staged';
  return last.kind === 'partial'
    ? `the staged file is incomplete: ${last.problem}`
    : 'one was staged at the last moment';
}

function instructions(bundle: DispatchBundle, isLeftOver: boolean): string {
  const { role, phase, turn_id, attempt, dispatch_dir, staging_path } = bundle;
  return [
    `Turn ${turn_id} (attempt ${attempt}) waits for a person: ${role}${phase === '' ? '' : `, phase ${phase}`}`,
    `  1. Read ${dispatch_dir}/PROMPT.md and ${dispatch_dir}/CONTEXT.md`,
    '  2. Do the work',
    `  3. Write the result, one JSON object, to ${staging_path}`,
    ...(isLeftOver ? ['     The file there now is from an earlier attempt and is ignored.'] : []),
    '',
  ].join('\n');
}
