/** Provides the runner, run loop and serving of this machine. Loads the large hub and its store on demand. */

import { systemClock } from '../system/clock.ts';
import { createRunLoop, type RunLoop } from './loop/run-loop.ts';
import type { Runner, RunnerFailure } from './runner/contract/types.ts';
import { createRunner } from './runner/runner.ts';
import type { ServedRun, ServeRunOptions } from './serving/serve-run.ts';
import type { ServingHub } from './serving/withdrawn-runs.ts';

const runner: Runner = createRunner();

export const loadContext: Runner['loadContext'] = runner.loadContext;
export const loadState: Runner['loadState'] = runner.loadState;
export const initRun: Runner['initRun'] = runner.initRun;
export const abandonRun: Runner['abandonRun'] = runner.abandonRun;
export const reactivateRun: Runner['reactivateRun'] = runner.reactivateRun;
export const assignTurn: Runner['assignTurn'] = runner.assignTurn;
export const acceptTurn: Runner['acceptTurn'] = runner.acceptTurn;
export const rejectTurn: Runner['rejectTurn'] = runner.rejectTurn;
export const approvePhaseGate: Runner['approvePhaseGate'] = runner.approvePhaseGate;
export const approveCompletionGate: Runner['approveCompletionGate'] = runner.approveCompletionGate;
export const markRunBlocked: Runner['markRunBlocked'] = runner.markRunBlocked;
export const escalate: Runner['escalate'] = runner.escalate;
export const writeDispatchBundle: Runner['writeDispatchBundle'] = runner.writeDispatchBundle;
export const refreshTurnBaselineSnapshot: Runner['refreshTurnBaselineSnapshot'] = runner.refreshTurnBaselineSnapshot;
export const reissueTurn: Runner['reissueTurn'] = runner.reissueTurn;
export const transitionActiveTurnLifecycle: Runner['transitionActiveTurnLifecycle'] =
  runner.transitionActiveTurnLifecycle;
export const acquireLock: Runner['acquireLock'] = runner.acquireLock;
export const releaseLock: Runner['releaseLock'] = runner.releaseLock;
export const emitNotifications: Runner['emitNotifications'] = runner.emitNotifications;

// Shares the runner above, which knows the locks of this process.
export const runLoop: RunLoop = createRunLoop({ runner, clock: systemClock });

export async function serveRun(hub: ServingHub, root: string, options: ServeRunOptions = {}): Promise<ServedRun> {
  const serving = await import('./serving/serve-run.ts');
  return serving.serveRun(hub, root, options);
}

export async function withdrawRun(root: string): Promise<{ readonly ok: true } | RunnerFailure> {
  const serving = await import('./serving/withdrawn-runs.ts');
  return serving.withdrawRun(root);
}
