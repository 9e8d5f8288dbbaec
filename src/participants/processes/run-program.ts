/**
 * Runs a program to its end, and everything it started with it. The only way anything here runs a program.
 *
 * Resolves with what it wrote and how it ended; whether that is a success is for whoever knows the tool. Rejects with an
 * AgentError when it could not be started, ran out of time, was aborted or wrote too much, and with TypeError for limits that
 * are wrong. Whatever the outcome, when the promise settles no process of it is left.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { secretsIn } from '../lib/redact-secrets.ts';
import { endFamily } from '../../node/run/end-family.ts';
import { failureOf } from './ending.ts';
import { programEnvironment } from './environment.ts';
import { Following } from './run-monitor.ts';
import { Output } from './program-output.ts';
import type { Program, Ran, RunLimitOptions, RunLimits, RunWatch } from './program.ts';
import { runLimits } from '../../node/run/run-limits.ts';
import { checkProgram } from './spawn-failure.ts';
import { type Exit, type Started, startProgram } from './start-program.ts';

export type { Program, Ran, RunLimitOptions, RunLimits, RunWatch } from './program.ts';
export { type RunningProgram, runningPrograms } from '../../node/run/running.ts';

/** What is left in the pipes of a program that has ended is read at once; only a grandchild that holds them takes longer. */
const DRAIN_MS = 250;
/** What a program left behind is asked to end, but not waited for as long as the program itself would be. */
const LEFTOVER_GRACE_MS = 1_000;

export async function runProgram(program: Program, watch: RunWatch = {}, limits: RunLimitOptions = {}): Promise<Ran> {
  const bounds = runLimits(limits);
  checkProgram(program);
  const environment = programEnvironment(program);
  const about = { tool: program.tool, secrets: secretsIn(environment), bounds };
  if (watch.signal?.aborted) throw failureOf({ kind: 'aborted', reason: watch.signal.reason }, about);

  const started = await startProgram(program, environment);
  const { output, following } = await follow(started, program, watch, bounds);
  const exit = await endAndDrain(started, bounds.graceMs);
  const ending = following.finish();

  const written = { ...exit, stdout: output.stdout, stderr: output.stderr };
  if (ending.kind !== 'exit' && ending.kind !== 'after_result') throw failureOf(ending, about, written);
  const hasResult = watch.isDone === undefined ? {} : { hasResult: output.hasResult };
  const cut = output.hasCutLine ? { hasCutLine: true as const } : {};
  return { ...written, truncated: output.isTruncated, ...cut, endedBy: ending.kind, ...hasResult };
}

/** Until there is a reason to stop. What goes wrong here leaves nothing running either. */
async function follow(
  started: Started,
  { stdin }: Program,
  watch: RunWatch,
  bounds: RunLimits,
): Promise<{ readonly output: Output; readonly following: Following }> {
  try {
    started.feed(stdin);
    const output = new Output(bounds, watch);
    const following = new Following(started, output, watch, bounds);
    await following.stopped;
    return { output, following };
  } catch (thrown) {
    await endAndDrain(started, 0);
    throw thrown;
  }
}

/** Ends whatever still runs and reads what was still written. A pipe that somebody unknown holds is let go of. */
async function endAndDrain(started: Started, graceMs: number): Promise<Exit> {
  // If the program has ended by itself, those it left behind may be about to end too.
  const hasEnded = started.exit() !== null;
  if (hasEnded) await drained(started);
  await endFamily(started.family, hasEnded ? Math.min(graceMs, LEFTOVER_GRACE_MS) : graceMs);
  await drained(started);
  started.release();
  return started.exit() ?? { exitCode: null, signal: null };
}

async function drained({ closed }: Started): Promise<void> {
  await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
}
