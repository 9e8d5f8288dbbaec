/** The coordinator of several repos: pure functions, as the rest of the engine. */

export {
  approveCoordinatorGate,
  type GateApproval,
  type GateAsked,
  requestCoordinatorGate,
  withdrawCoordinatorGate,
} from './approve.ts';
export type { BarrierEffect } from './barriers.ts';
export { beginSuperRun, type SuperRunBeginning, type SuperRunBegun } from '../../coordinator/begin.ts';
export { blockByProjection, blockSuperRun, resolveSuperRun, type SuperRunResolution } from './super-run.ts';
export type { BlockerCode, CoordinatorBlocker } from '../../coordinator/blockers.ts';
export type { CoordinatorChange } from './change.ts';
export { type CheckedCoordinator, checkCoordinatorConfig } from '../../coordinator/config/check.ts';
export type * from './config.ts';
export { BARRIER_TYPES, coordinatorPhases } from './config.ts';
export type { CoordinatorFault, CoordinatorFaultCode } from '../../coordinator/config/fault.ts';
export { type CoordinatorContext, coordinatorContext, coordinatorContextText } from '../../coordinator/context.ts';
export { type Dispatch, type Dispatched, dispatchEntry } from './dispatch.ts';
export type * from './state.ts';
export {
  type CoordinatorVerdict,
  type CoordinatorView,
  evaluateCoordinatorCompletion,
  evaluateCoordinatorTransition,
  type GateDraft,
} from './gates.ts';
export type { Invalidation } from './invalidations.ts';
export { type OwnerOf, ownerByText } from '../../coordinator/owner.ts';
export { type Projected, projectAcceptance, type ToProject } from './projection.ts';
export type { CoordinatorErrorType, CoordinatorRefusal } from '../../coordinator/refusal.ts';
export { resyncRepoRuns } from '../../coordinator/resync.ts';
export type * from '../../coordinator/state.ts';
export { type CoordinatorStep, nextCoordinatorStep } from './step.ts';
