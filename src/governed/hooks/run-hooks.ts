/**
 * Runs and records the hooks of a phase in sequence. Never throws: a hook that cannot run has failed, and a write error
 * stops the phase. Phases of one project are serialised, so that a file change is attributed to the right hook.
 */

import { resolve } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import { type TamperCode, tamperCode } from '../engine/hooks/decide.ts';
import type { Hook, HookAudit, HooksConfig } from '../engine/hooks/hook.ts';
import { getOwn, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import { KeyedLock } from '../files/lock.ts';
import { type HookOptions, PhaseRecord } from './phase-record.ts';
import { runHook } from './run-hook.ts';

export interface HooksRun {
  readonly ok: boolean;
  readonly blocked: boolean;
  readonly blocker?: HookAudit;
  readonly tamper?: { readonly hook_name: string; readonly error_code: TamperCode; readonly paths: readonly string[] };
  /** Set unless `ok`. */
  readonly error?: string;
  readonly error_code?: TamperCode | 'hook_blocked' | 'hook_failed';
  readonly results: readonly HookAudit[];
}

const turns = new KeyedLock();

export function runHooks(
  root: string,
  hooksConfig: HooksConfig | null | undefined,
  phase: string,
  payload: UnknownRecord,
  options: HookOptions = {},
): Promise<HooksRun> {
  const hooks = getOwn<readonly Hook[]>(hooksConfig, phase) ?? [];
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
  const tamper = { hook_name: entry.hook_name, error_code, paths };
  return { ok: false, blocked: false, tamper, error, error_code, results };
}
