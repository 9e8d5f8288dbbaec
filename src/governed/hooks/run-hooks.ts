/**
 * Runs the hooks of a phase, one after the other, and writes down what each of them did.
 *
 * Nothing here is thrown at who runs a phase: a hook that cannot be run has failed, and a disk that cannot be written
 * stops the phase. The phases of one project wait for each other, so that what a hook changed is not laid at another's
 * door; who writes to the books of the run meanwhile has to hold the lock of the run, and so does who calls this.
 */

import { resolve } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import type { Hook, HookAudit, HooksConfig } from '../engine/hooks/hook.ts';
import { type TamperCode, tamperCode } from './tamper.ts';
import { own, type Unknowns } from '../engine/lib/unknown-record.ts';
import { InTurn } from '../../node/governed/hooks/in-turn.ts';
import { PhaseRecord } from './phase-record.ts';
import { runHook } from './run-hook.ts';

export interface HookOptions {
  readonly run_id?: string | null;
  readonly turn_id?: string | null;
  /** Where hook-audit.jsonl is; relative to the root. */
  readonly auditDir?: string;
  /** Beside the books of the run; relative to the root. A folder stands for the files in it. */
  readonly protectedPaths?: readonly string[];
  /** What `${NAME}` stands for; by default the environment of this process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

export interface HooksRun {
  /** May what follows go on? */
  readonly ok: boolean;
  readonly blocked: boolean;
  /** Who stopped it. */
  readonly blocker?: HookAudit;
  readonly tamper?: { readonly hook_name: string; readonly error_code: TamperCode; readonly paths: readonly string[] };
  /** Only if it could not be done as it should. */
  readonly error?: string;
  readonly error_code?: TamperCode | 'hook_blocked' | 'hook_failed';
  readonly results: readonly HookAudit[];
}

const turns = new InTurn();

export function runHooks(
  root: string,
  hooksConfig: HooksConfig | null | undefined,
  phase: string,
  payload: Unknowns,
  options: HookOptions = {},
): Promise<HooksRun> {
  const hooks = own<readonly Hook[]>(hooksConfig, phase) ?? [];
  if (!Array.isArray(hooks) || hooks.length === 0) return Promise.resolve({ ok: true, blocked: false, results: [] });
  const project = resolve(root);
  return turns.take(project, async () => {
    const record = new PhaseRecord(project, phase, payload, options);
    try {
      return await runAll(hooks, record);
    } catch (thrown) {
      const error = asError(thrown).message;
      return { ok: false, blocked: false, error, error_code: 'hook_failed', results: record.entries };
    }
  });
}

async function runAll(hooks: readonly Hook[], record: PhaseRecord): Promise<HooksRun> {
  for (const [at, hook] of hooks.entries()) {
    const { entry, tampered } = await runHook(hook, record);
    await record.add(entry);
    if (tampered.length > 0) return tamperedRun(entry, tampered, record.entries);
    if (entry.verdict !== 'block') continue;
    for (const skipped of hooks.slice(at + 1)) await record.skip(skipped);
    const error = `hook ${entry.hook_name} stops ${entry.hook_phase}: ${entry.message ?? entry.orchestrator_action}`;
    return { ok: false, blocked: true, blocker: entry, error, error_code: 'hook_blocked', results: record.entries };
  }
  return { ok: true, blocked: false, results: record.entries };
}

function tamperedRun(entry: HookAudit, paths: readonly string[], results: readonly HookAudit[]): HooksRun {
  const error_code = tamperCode(paths);
  const error = `hook ${entry.hook_name} ${entry.message}`;
  return {
    ok: false,
    blocked: false,
    tamper: { hook_name: entry.hook_name, error_code, paths },
    error,
    error_code,
    results,
  };
}
