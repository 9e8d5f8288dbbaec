/** Everything that is done to a run, by name: each from the open runs of a project and what it was asked for, to an answer. */

import { acceptTurn } from './operations/accept.ts';
import { assignTurn } from './operations/assign.ts';
import { abandonRun, initRun, reactivateRun } from './operations/begin.ts';
import { escalate, markRunBlocked } from './operations/block.ts';
import {
  refreshTurnBaselineSnapshot,
  transitionActiveTurnLifecycle,
  writeDispatchBundle,
} from '../../../governed/runner/operations/assign.ts';
import { approveCompletionGate, approvePhaseGate } from './operations/gates.ts';
import { acquireLock, releaseLock } from './operations/lock.ts';
import { reissueTurn, rejectTurn } from './operations/rejection.ts';

export interface Operations {
  readonly initRun: typeof initRun;
  readonly abandonRun: typeof abandonRun;
  readonly reactivateRun: typeof reactivateRun;
  readonly assignTurn: typeof assignTurn;
  readonly acceptTurn: typeof acceptTurn;
  readonly rejectTurn: typeof rejectTurn;
  readonly approvePhaseGate: typeof approvePhaseGate;
  readonly approveCompletionGate: typeof approveCompletionGate;
  readonly markRunBlocked: typeof markRunBlocked;
  readonly escalate: typeof escalate;
  readonly writeDispatchBundle: typeof writeDispatchBundle;
  readonly refreshTurnBaselineSnapshot: typeof refreshTurnBaselineSnapshot;
  readonly reissueTurn: typeof reissueTurn;
  readonly transitionActiveTurnLifecycle: typeof transitionActiveTurnLifecycle;
  readonly acquireLock: typeof acquireLock;
  readonly releaseLock: typeof releaseLock;
}

export const operations: Operations = {
  initRun,
  abandonRun,
  reactivateRun,
  assignTurn,
  acceptTurn,
  rejectTurn,
  approvePhaseGate,
  approveCompletionGate,
  markRunBlocked,
  escalate,
  writeDispatchBundle,
  refreshTurnBaselineSnapshot,
  reissueTurn,
  transitionActiveTurnLifecycle,
  acquireLock,
  releaseLock,
};

export type OperationName = keyof Operations;
/** JSON, so that it can be asked of another process. */
export type Args<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type Answer<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;
