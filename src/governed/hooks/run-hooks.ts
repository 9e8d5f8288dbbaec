/**
 * Runs and records the hooks of a phase in sequence. Never throws: a hook that cannot run counts as failed, and a write
 * error stops the phase. A project's phases run one at a time, so that a file change is attributed to the right hook.
 */

import { resolve } from 'node:path';
import { asError } from '../../core/lib/errors.ts';
import { redactSecrets } from '../../participants/lib/redact-secrets.ts';
import { readBoundedText, reasonOf } from '../../system/bounded-body.ts';
import { validateHook } from '../engine/hooks/check.ts';
import { decideHook, type TamperCode, tamperCode } from '../engine/hooks/decide.ts';
import type { Hook, HookAudit, HookEnvelope, HookMode, HooksConfig, HttpHook } from '../engine/hooks/hook.ts';
import { getOwn, type UnknownRecord } from '../engine/lib/unknown-record.ts';
import { KeyedLock } from '../files/lock.ts';
import { type HookOptions, PhaseRecord } from './phase-record.ts';
import { restoreChanged, snapshot } from './protect.ts';
import { expandVariables, type HookResult, MAX_ANSWER_BYTES, type Variables } from './variables.ts';

export interface HooksRun {
  readonly ok: boolean;
  readonly blocked: boolean;
  readonly blocker?: HookAudit;
  readonly tamper?: { readonly hook_name: string; readonly error_code: TamperCode; readonly paths: readonly string[] };
  /** Set if `ok` is false. */
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

const MAX_STDERR_CHARS = 4_096;
const MAX_MESSAGE_CHARS = 4_096;

interface RanHook {
  readonly entry: HookAudit;
  /** Paths that the hook changed and that were restored. */
  readonly tampered: readonly string[];
}

/** Runs one hook, restores protected files that it changed, and decides its verdict. */
async function runHook(hook: Hook, record: PhaseRecord): Promise<RanHook> {
  const { root, options } = record;
  const head = record.headFor(hook);
  const before = await snapshot(root, [...record.auditFiles, ...(options.protectedPaths ?? [])]);
  const startedAt = performance.now();
  const { end, exitCode, stderr, secrets } = await perform(hook, record);
  const duration_ms = Math.round(performance.now() - startedAt);
  const tampered = await restoreChanged(root, before);
  const decision = decideHook(modeOf(hook), tampered.length > 0 ? { kind: 'tampered', paths: tampered } : end);
  const shown = (text: string, most: number): string => redactSecrets(text, secrets).slice(0, most);
  const entry: HookAudit = {
    ...head,
    transport: hook.type,
    duration_ms,
    verdict: decision.verdict,
    message: decision.message === null ? null : shown(decision.message, MAX_MESSAGE_CHARS),
    annotations: decision.annotations.map(({ key, value }) => ({ key, value: shown(value, value.length) })),
    exit_code: exitCode,
    timed_out: end.kind === 'timed_out',
    stderr_excerpt: shown(stderr, MAX_STDERR_CHARS),
    orchestrator_action: decision.action,
  };
  return { entry, tampered };
}

async function perform(hook: Hook, record: PhaseRecord): Promise<HookResult> {
  // Hooks may come from an unvalidated config, so an invalid hook counts as failed.
  const [fault] = validateHook(hook, 'hook', '');
  if (fault !== undefined) return { ...NOTHING, end: { kind: 'failed', problem: fault.message } };
  const { variables = process.env, signal } = record.options;
  const envelope = record.envelopeFor(hook);
  if (hook.type === 'http') return callHttpHook(hook, envelope, variables, signal);
  // Loaded on demand: most callers never start a program.
  const { runProcessHook } = await import('./process-hook.ts');
  return runProcessHook(hook, envelope, variables, signal);
}

/** Fails closed: any mode other than `advisory` blocks. */
function modeOf({ mode }: Hook): HookMode {
  return mode === 'advisory' ? 'advisory' : 'blocking';
}

async function callHttpHook(
  hook: HttpHook,
  envelope: HookEnvelope,
  variables: Variables,
  signal: AbortSignal | undefined,
): Promise<HookResult> {
  const headers = expandVariables(hook.headers ?? {}, variables);
  if (typeof headers === 'string') return { ...NOTHING, end: { kind: 'failed', problem: headers } };
  const { secrets } = headers;
  const late = AbortSignal.timeout(hook.timeout_ms);
  try {
    const response = await fetch(hook.url, {
      method: 'POST',
      // Following a redirect would send the headers to a different address.
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers.texts },
      body: JSON.stringify(envelope),
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const text = await readBoundedText(response, MAX_ANSWER_BYTES);
    if (text === null) return { ...NOTHING, secrets, end: { kind: 'failed', problem: TOO_MUCH } };
    if (!response.ok) return { ...NOTHING, secrets, end: { kind: 'failed', problem: `HTTP ${response.status}` } };
    return { ...NOTHING, secrets, end: { kind: 'answered', text } };
  } catch (thrown) {
    if (late.aborted) {
      const problem = `did not answer within ${hook.timeout_ms} ms`;
      return { ...NOTHING, secrets, end: { kind: 'timed_out', problem } };
    }
    return { ...NOTHING, secrets, end: { kind: 'failed', problem: reasonOf(asError(thrown)) } };
  }
}

const NOTHING = { exitCode: null, stderr: '', secrets: [] } as const;
const TOO_MUCH = `answered with more than ${MAX_ANSWER_BYTES} bytes`;
