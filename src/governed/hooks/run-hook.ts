/** Runs one hook as a process or an HTTP call and decides its verdict. Undoes and reports changes to protected files. */

import { asError } from '../../core/lib/errors.ts';
import { redactSecrets } from '../../participants/lib/redact-secrets.ts';
import { readBoundedText, reasonOf } from '../../system/bounded-body.ts';
import { validateHook } from '../engine/hooks/check.ts';
import { decideHook } from '../engine/hooks/decide.ts';
import type { Hook, HookAudit, HookEnvelope, HookMode, HttpHook } from '../engine/hooks/hook.ts';
import type { PhaseRecord } from './phase-record.ts';
import { restoreChanged, snapshot } from './protect.ts';
import { expandVariables, type HookResult, MAX_ANSWER_BYTES, type Variables } from './variables.ts';

const MAX_STDERR_CHARS = 4_096;
const MAX_MESSAGE_CHARS = 4_096;

interface HookRun {
  readonly entry: HookAudit;
  /** Restored paths that the hook had changed. */
  readonly tampered: readonly string[];
}

export async function runHook(hook: Hook, record: PhaseRecord): Promise<HookRun> {
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
  // Loading validates a config, but hooks may come from elsewhere: an invalid hook has failed.
  const [fault] = validateHook(hook, 'hook', '');
  if (fault !== undefined) return { ...NOTHING, end: { kind: 'failed', problem: fault.message } };
  const { variables = process.env, signal } = record.options;
  const envelope = record.envelopeFor(hook);
  if (hook.type === 'http') return callHttpHook(hook, envelope, variables, signal);
  // Loaded on demand: most callers never start a program.
  const { runProcessHook } = await import('./process-hook.ts');
  return runProcessHook(hook, envelope, variables, signal);
}

/** Policies fail closed: any mode but `advisory` blocks. */
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
      // Following a redirect would send the headers to another address.
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
