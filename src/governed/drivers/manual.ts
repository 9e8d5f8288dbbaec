/** A person does the turn: they are told where everything is, and what they stage is taken when it is whole. */

import { z } from 'zod';
import type { Staged } from '../staging/staged-result.ts';
import { readStagedResult } from '../staging/staged-result.ts';
import { MANUAL_TIMEOUT_MS, POLL_INTERVAL_MS, type Waited, waitForStagedResult } from '../../node/governed/staging/wait.ts';
import type { Adapter, AdapterContext, AdapterWaited, DispatchBundle } from './attempt/driver.ts';
import { collected } from '../../node/governed/adapters/result-in.ts';
import { settingsOf } from './attempt/settings.ts';
import { completed, failed, notDispatched } from '../../node/governed/adapters/waited.ts';

interface ManualSettings {
  readonly poll_interval_ms: number;
  readonly timeout_ms: number;
}

export const MANUAL: z.ZodType<ManualSettings> = z.looseObject({
  poll_interval_ms: z.number().positive().default(POLL_INTERVAL_MS),
  timeout_ms: z.number().positive().default(MANUAL_TIMEOUT_MS),
});

export function manualAdapter(context: AdapterContext): Adapter {
  const { poll_interval_ms: pollIntervalMs, timeout_ms: timeoutMs } = settingsOf(MANUAL, context);
  const { root, clock, write } = context;
  /** Of each turn that is out, the version of the file that an earlier attempt left; undefined = none. */
  const out = new Map<string, string | undefined>();
  return {
    name: 'manual',
    timeoutMs,
    async dispatch(bundle) {
      const staged = await readStagedResult(root, bundle.turn_id);
      // What is there in a first attempt may well be what somebody handed in while nobody looked.
      const except = bundle.attempt > 1 && staged.kind === 'ready' ? staged.version : undefined;
      out.set(bundle.turn_id, except);
      write(instructions(bundle, except !== undefined));
    },
    async wait(turnId, timeoutMs, signal) {
      if (!out.has(turnId)) return notDispatched(turnId);
      const except = out.get(turnId);
      out.delete(turnId);
      return waitedFor(
        await waitForStagedResult(root, turnId, { pollIntervalMs, timeoutMs, signal, clock, except }),
        timeoutMs,
      );
    },
    collect: async (_, data) => collected(data),
  };
}

function waitedFor(waited: Waited, timeoutMs: number): AdapterWaited {
  switch (waited.kind) {
    case 'ready':
      return completed(waited.result);
    case 'refused':
      return failed('invalid_result', waited.problem);
    case 'aborted':
      return failed('aborted', 'nobody waits for the result any more');
    case 'timeout':
      return failed('timeout', `no result within ${timeoutMs} ms: ${lastSeen(waited.last)}`);
  }
}

function lastSeen(last: Staged): string {
  if (last.kind === 'absent') return 'nothing was staged';
  return last.kind === 'partial'
    ? `the staged file is not whole: ${last.problem}`
    : 'one was staged at the last moment';
}

function instructions(bundle: DispatchBundle, isLeftOver: boolean): string {
  const { role, phase, turn_id, attempt, dispatch_dir, staging_path } = bundle;
  return [
    `Turn ${turn_id} (attempt ${attempt}) waits for a person: ${role}${phase === '' ? '' : `, phase ${phase}`}`,
    `  1. Read ${dispatch_dir}/PROMPT.md and ${dispatch_dir}/CONTEXT.md`,
    '  2. Do the work',
    `  3. Write the result, one JSON object, to ${staging_path}`,
    ...(isLeftOver ? ['     The file that is there now is of an earlier attempt, and is not taken.'] : []),
    '',
  ].join('\n');
}
