/**
 * Runs a program to its end, with everything it starts. All programs run through here. Resolves with output and exit status;
 * rejects with AgentError if it cannot start, times out, is aborted or writes too much, and with TypeError for bad limits.
 * When the promise settles, no process of the run is left.
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

/** Time to read the rest of the output; this is immediate unless a grandchild holds the pipes. */
const DRAIN_MS = 250;
/** Leftover processes get a shorter grace period than the program itself. */
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

/** Waits for a reason to stop; if this fails, nothing is left running. */
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

/** Ends remaining processes and reads the rest of the output; releases pipes held by unknown processes. */
async function endAndDrain(started: StartedProgram, graceMs: number): Promise<Exit> {
  // After a normal exit, leftover processes may be about to end too.
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
