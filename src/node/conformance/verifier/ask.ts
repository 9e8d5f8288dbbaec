/** One fixture, one process of the target, within a bound. What it answers counts only if its exit code says the same. */

import { asError } from '../../../core/errors.ts';
import { isAgentError } from '../../../participants/agent-error.ts';
import { runProgram } from '../../run/run-program.ts';
import { EXIT_OF, type Fixture, STATUSES, type Status } from '../fixture.ts';
import type { Target } from './target.ts';

export type Asked =
  | { readonly kind: 'answered'; readonly status: Status; readonly actual: unknown; readonly message: string | null }
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'timed_out'; readonly message: string };

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

export async function ask({ root, command }: Target, fixture: Fixture, timeoutMs: number): Promise<Asked> {
  const [program, ...args] = command;
  try {
    const stdin = `${JSON.stringify(fixture)}\n`;
    const run = {
      tool: 'conformance adapter',
      command: program,
      args,
      cwd: root,
      stdin,
      passEnv: Object.keys(process.env),
    };
    const bounds = {
      wallMs: timeoutMs,
      graceMs: 500,
      maxCapturedBytes: MAX_OUTPUT_BYTES,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    };
    const { stdout, exitCode } = await runProgram(run, {}, bounds);
    return understood(stdout, exitCode);
  } catch (thrown) {
    const { message } = asError(thrown);
    return isAgentError(thrown) && thrown.kind === 'timeout'
      ? { kind: 'timed_out', message }
      : { kind: 'broken', message };
  }
}

export function understood(stdout: string, exitCode: number | null): Asked {
  const answer = parsed(stdout);
  if (answer === null) return { kind: 'broken', message: 'stdout is not one JSON object' };
  const { status, actual, message } = answer;
  const known = STATUSES.find((one) => one === status);
  if (known === undefined) return { kind: 'broken', message: `status: expected one of ${STATUSES.join(', ')}` };
  if (EXIT_OF[known] !== exitCode) {
    return {
      kind: 'broken',
      message: `it says ${known}, and ends with exit code ${exitCode} instead of ${EXIT_OF[known]}`,
    };
  }
  return { kind: 'answered', status: known, actual, message: typeof message === 'string' ? message : null };
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.trim());
    // An object is looked into member by member.
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}
