/**
 * Runs a program to its end, and everything it started with it. The only way anything here runs a program.
 *
 * Resolves with what it wrote and how it ended; whether that is a success is for whoever knows the tool. Rejects with an
 * AgentError when it could not be started, ran out of time, was aborted or wrote too much, and with TypeError for limits that
 * are wrong. Whatever the outcome, when the promise settles no process of it is left.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { findSecrets } from '../lib/redact-secrets.ts';
import { failureOf } from './ending.ts';
import { programEnvironment } from './environment.ts';
import {
  type Program,
  type ProgramResult,
  type RunLimitOptions,
  type RunLimits,
  type RunListener,
  runLimits,
} from './program.ts';
import { Output } from './program-output.ts';
import { RunMonitor } from './run-monitor.ts';
import { checkProgram } from './spawn-failure.ts';
import { type Exit, type StartedProgram, startProgram } from './start-program.ts';
import { killTree } from './tree/process-tree.ts';

export type { Program, ProgramResult, RunLimitOptions, RunLimits, RunListener } from './program.ts';
export { type RunningProgram, runningPrograms } from './tree/running.ts';

/** What is left in the pipes of a program that has ended is read at once; only a grandchild that holds them takes longer. */
const DRAIN_MS = 250;
/** What a program left behind is asked to end, but not waited for as long as the program itself would be. */
const LEFTOVER_GRACE_MS = 1_000;

export async function runProgram(
  program: Program,
  watch: RunListener = {},
  limits: RunLimitOptions = {},
): Promise<ProgramResult> {
  const bounds = runLimits(limits);
  checkProgram(program);
  const environment = programEnvironment(program);
  const about = { tool: program.tool, secrets: findSecrets(environment), bounds };
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
  started: StartedProgram,
  { stdin }: Program,
  watch: RunListener,
  bounds: RunLimits,
): Promise<{ readonly output: Output; readonly following: RunMonitor }> {
  try {
    started.feed(stdin);
    const output = new Output(bounds, watch);
    const following = new RunMonitor(started, output, watch, bounds);
    await following.stopped;
    return { output, following };
  } catch (thrown) {
    await endAndDrain(started, 0);
    throw thrown;
  }
}

/** Ends whatever still runs and reads what was still written. A pipe that somebody unknown holds is let go of. */
async function endAndDrain(started: StartedProgram, graceMs: number): Promise<Exit> {
  // If the program has ended by itself, those it left behind may be about to end too.
  const hasEnded = started.exit() !== null;
  if (hasEnded) await drained(started);
  await killTree(started.family, hasEnded ? Math.min(graceMs, LEFTOVER_GRACE_MS) : graceMs);
  await drained(started);
  started.release();
  return started.exit() ?? { exitCode: null, signal: null };
}

async function drained({ closed }: StartedProgram): Promise<void> {
  await Promise.race([closed, pause(DRAIN_MS, undefined, { ref: false })]);
}
