/**
 * Runs a hook program in its own process group: envelope on stdin, answer on stdout, no secrets in arguments.
 * When this resolves, the whole process tree has ended, even children that ignore signals.
 */

import { asError } from '../../core/lib/errors.ts';
import { isAgentError } from '../../participants/agent/agent-error.ts';
import { findSecrets } from '../../participants/lib/redact-secrets.ts';
import type { Program, RunLimits } from '../../participants/processes/program.ts';
import { runProgram } from '../../participants/processes/run-program.ts';
import type { HookEnvelope, ProcessHook } from '../engine/hooks/hook.ts';
import { expandVariables, type HookResult, MAX_ANSWER_BYTES, type Variables } from './variables.ts';

/** Time from SIGTERM to SIGKILL; short, because the phase waits for it. */
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
      const problem = exitCode === null ? `was ended by ${ran.signal}` : `ended with exit code ${exitCode}`;
      return { end: { kind: 'failed', problem }, exitCode, stderr, secrets };
    }
    return { end: { kind: 'answered', text: stdout }, exitCode, stderr, secrets };
  } catch (thrown) {
    return failureOf(thrown, hook, secrets);
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

function failureOf(thrown: unknown, hook: ProcessHook, secrets: readonly string[]): HookResult {
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
