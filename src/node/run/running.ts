/** What runs at the moment. None of it outlives this process. */

import type { Family } from '../../participants/processes/tree/process-tree.ts';
import { Guard } from '../../participants/processes/tree/running.ts';

export interface RunningProgram {
  readonly tool: string;
  readonly pid: number;
  /** When it was started, in milliseconds of the epoch. */
  readonly sinceMs: number;
}

interface Entry extends RunningProgram {
  readonly family: Family;
}

const running = new Map<string, Entry>();
const guard = new Guard();
let isWatchingExit = false;

export function runningPrograms(): readonly RunningProgram[] {
  return [...running.values()].map(({ tool, pid, sinceMs }) => ({ tool, pid, sinceMs }));
}

/** To be called before it is started: from then on it cannot be lost. */
export function expectRun(mark: string): void {
  if (!isWatchingExit) process.once('exit', endAllNow);
  isWatchingExit = true;
  guard.begin(mark, 0);
}

export function noteRun(mark: string, tool: string, family: Family): void {
  running.set(mark, { tool, pid: family.pid, sinceMs: Date.now(), family });
  guard.begin(mark, family.pid);
}

export function forgetRun(mark: string): void {
  running.delete(mark);
  guard.end(mark);
}

/** Our process ends in this moment: there is no time to ask. */
function endAllNow(): void {
  for (const { family } of running.values()) family.signal('SIGKILL', family.livingNow());
}
