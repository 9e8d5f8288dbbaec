/** Every call of the runner interface, by the runner of this machine. */

import { createRunner } from './runner/runner.ts';
import type { Runner } from './runner/contract/types.ts';

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
