/**
 * A hook that is a program: a group of its own, the envelope on its stdin, its answer on stdout, nothing secret among its
 * arguments. When this resolves nothing of it runs any more, whatever it started and whichever signals it ignores.
 */

import { asError } from '../../core/lib/errors.ts';
import { isAgentError } from '../../participants/agent/agent-error.ts';
import { findSecrets } from '../../participants/lib/redact-secrets.ts';
import type { Program, RunLimits } from '../../participants/processes/program.ts';
import { runProgram } from '../../participants/processes/run-program.ts';
import type { HookEnvelope, ProcessHook } from '../engine/hooks/hook.ts';
import { expandVariables, type HookResult, MAX_ANSWER_BYTES, type Variables } from './variables.ts';

/** To put things in order after SIGTERM. A phase waits for it, so it is short. */
const GRACE_MS = 200;

export async function runProcessHook(
  hook: ProcessHook,
  envelope: HookEnvelope,
  variables: Variables,
  signal: AbortSignal | undefined,
): Promise<HookResult> {
  const env = expandVariables(hook.env ?? {}, variables);
  if (typeof env === 'string') return failed(env);
  const secrets = [...env.secrets, ...findSecrets(env.texts)];
  try {
    const ran = await runProgram(programOf(hook, envelope, env.texts), { signal }, limitsOf(hook));
    const { exitCode, stdout, stderr } = ran;
    if (exitCode !== 0) {
      const how = exitCode === null ? `was ended by ${ran.signal}` : `ended with exit code ${exitCode}`;
      return { end: { kind: 'failed', problem: how }, exitCode, stderr, secrets };
    }
    return { end: { kind: 'answered', text: stdout }, exitCode, stderr, secrets };
  } catch (thrown) {
    return notEnded(thrown, hook, secrets);
  }
}

function programOf(hook: ProcessHook, envelope: HookEnvelope, env: Readonly<Record<string, string>>): Program {
  const [command, ...args] = hook.command;
  const { hook_phase, hook_name, run_id, project_root } = envelope;
  return {
    tool: `hook ${hook_name}`,
    command,
    args,
    cwd: project_root,
    stdin: `${JSON.stringify(envelope)}\n`,
    env: {
      ...env,
      AGENTXCHAIN_HOOK_PHASE: hook_phase,
      AGENTXCHAIN_HOOK_NAME: hook_name,
      AGENTXCHAIN_RUN_ID: run_id ?? '',
      AGENTXCHAIN_PROJECT_ROOT: project_root,
    },
  };
}

function limitsOf({ timeout_ms }: ProcessHook): Partial<RunLimits> {
  return {
    wallMs: timeout_ms,
    graceMs: GRACE_MS,
    maxCapturedBytes: MAX_ANSWER_BYTES,
    maxOutputBytes: 16 * MAX_ANSWER_BYTES,
  };
}

function notEnded(thrown: unknown, hook: ProcessHook, secrets: readonly string[]): HookResult {
  if (!isAgentError(thrown)) return failed(asError(thrown).message, secrets);
  const { stderr = '' } = thrown.details;
  if (thrown.kind === 'timeout') {
    const problem = `did not end within ${hook.timeout_ms} ms`;
    return { end: { kind: 'timed_out', problem }, exitCode: null, stderr, secrets };
  }
  return { ...failed(thrown.message, secrets), stderr };
}

function failed(problem: string, secrets: readonly string[] = []): HookResult {
  return { end: { kind: 'failed', problem }, exitCode: null, stderr: '', secrets };
}
