/** One fixture, one process of the target, within a bound. What it answers counts only if its exit code says the same. */

import { asError } from '../../../core/lib/errors.ts';
import { isAgentError } from '../../../participants/agent/agent-error.ts';
import { runProgram } from '../../../participants/processes/run-program.ts';
import { EXIT_OF, type Fixture } from '../fixture.ts';
import { type Asked, answerIn, broken } from '../../../node/conformance/verifier/answer.ts';
import type { LocalTarget } from './target.ts';

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

export async function askProcess(target: LocalTarget, fixture: Fixture, timeoutMs: number): Promise<Asked> {
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
  const asked = answerIn(stdout, 'stdout');
  if (asked.kind !== 'answered' || EXIT_OF[asked.status] === exitCode) return asked;
  const { status } = asked;
  return broken(`it says ${status}, and ends with exit code ${exitCode} instead of ${EXIT_OF[status]}`);
}
