/**
 * Sends one fixture to a target, as one process or one HTTP request, within a time limit.
 * A process answer counts only if the exit code matches it; an HTTP answer only with status 200.
 */

import { asError } from '../../../core/lib/errors.ts';
import { isAgentError } from '../../../participants/agent/agent-error.ts';
import { runProgram } from '../../../participants/processes/run-program.ts';
import { EXIT_OF, type Fixture } from '../fixture.ts';
import { type Asked, broken, parseAnswer, request, said } from './request.ts';
import type { LocalTarget, RemoteTarget, Target } from './target.ts';

export function ask(target: Target, fixture: Fixture, timeoutMs: number): Promise<Asked> {
  return target.kind === 'remote' ? askRemote(target, fixture, timeoutMs) : askProcess(target, fixture, timeoutMs);
}

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

async function askProcess(target: LocalTarget, fixture: Fixture, timeoutMs: number): Promise<Asked> {
  const [command, ...args] = target.command;
  const run = {
    tool: 'conformance adapter',
    command,
    args,
    cwd: target.root,
    stdin: `${JSON.stringify(fixture)}\n`,
    passEnv: Object.keys(process.env),
  };
  const bounds = {
    wallMs: timeoutMs,
    graceMs: 500,
    maxCapturedBytes: MAX_OUTPUT_BYTES,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
  try {
    const { stdout, exitCode } = await runProgram(run, {}, bounds);
    return understood(stdout, exitCode);
  } catch (thrown) {
    const { message } = asError(thrown);
    return isAgentError(thrown) && thrown.kind === 'timeout' ? { kind: 'timed_out', message } : broken(message);
  }
}

export function understood(stdout: string, exitCode: number | null): Asked {
  const asked = parseAnswer(stdout, 'stdout');
  if (asked.kind !== 'answered' || EXIT_OF[asked.status] === exitCode) return asked;
  const { status } = asked;
  return broken(`it says ${status}, and ends with exit code ${exitCode} instead of ${EXIT_OF[status]}`);
}

async function askRemote({ url, token }: RemoteTarget, fixture: Fixture, timeoutMs: number): Promise<Asked> {
  const came = await request(`${url}/conform/execute`, { token, timeoutMs, body: JSON.stringify(fixture) });
  switch (came.kind) {
    case 'late':
      return { kind: 'timed_out', message: came.message };
    case 'failed':
      return broken(came.message);
    case 'response':
      return came.status === 200 ? parseAnswer(came.text, 'the body') : broken(said(came));
  }
}
