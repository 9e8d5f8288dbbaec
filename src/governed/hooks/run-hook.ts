/**
 * Runs one hook, as a process or an HTTP call, and decides what its end means.
 * A change the hook makes to protected files is undone and reported.
 */

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
  /** What it changed and was put back. */
  readonly tampered: readonly string[];
}

export async function runHook(hook: Hook, record: PhaseRecord): Promise<HookRun> {
  const { root, options } = record;
  const head = record.headFor(hook);
  const before = await snapshot(root, [...record.auditFiles, ...(options.protectedPaths ?? [])]);
  const startedAt = performance.now();
  const ended = await carriedOut(hook, record);
  const duration_ms = Math.round(performance.now() - startedAt);
  const tampered = await restoreChanged(root, before);
  const { end, exitCode, stderr, secrets } = ended;
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

async function carriedOut(hook: Hook, record: PhaseRecord): Promise<HookResult> {
  // A config is checked when it is loaded; a hook that came another way and cannot be run has failed. Its phase is not
  // asked here: who stops what has happened is told so by the check of the config.
  const [fault] = validateHook(hook, 'hook', '');
  if (fault !== undefined) {
    return { end: { kind: 'failed', problem: fault.message }, exitCode: null, stderr: '', secrets: [] };
  }
  const { variables = process.env, signal } = record.options;
  const envelope = record.envelopeFor(hook);
  if (hook.type === 'http') return callHttpHook(hook, envelope, variables, signal);
  // What starts programs brings much with it, and most who look at runs start none.
  const { runProcessHook } = await import('./process-hook.ts');
  return runProcessHook(hook, envelope, variables, signal);
}

/** What does not say that it only advises may stop things: policies fail closed. */
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
      // Whoever sends us on would get the headers.
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
