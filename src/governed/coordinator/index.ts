/** The coordinator of several repos: pure functions, as the rest of the engine. */

export {
  approveCoordinatorGate,
  type GateApproval,
  type GateAsked,
  requestCoordinatorGate,
  withdrawCoordinatorGate,
} from './approve.ts';
export type { BarrierEffect } from './barriers.ts';
export { beginSuperRun, type SuperRunBeginning, type SuperRunBegun } from './begin.ts';
export { blockByProjection, blockSuperRun, resolveSuperRun, type SuperRunResolution } from './block.ts';
export type { BlockerCode, CoordinatorBlocker } from './blockers.ts';
export type { CoordinatorChange } from './change.ts';
export { type CheckedCoordinator, checkCoordinatorConfig } from './config/check.ts';
export type * from './config/config.ts';
export { BARRIER_TYPES, coordinatorPhases } from './config/config.ts';
export type { CoordinatorFault, CoordinatorFaultCode } from './config/fault.ts';
export { type CoordinatorContext, coordinatorContext, coordinatorContextText } from './context.ts';
export { type Dispatch, type Dispatched, dispatchEntry } from './dispatch.ts';
export type * from './entries.ts';
export {
  type CoordinatorVerdict,
  type CoordinatorView,
  evaluateCoordinatorCompletion,
  evaluateCoordinatorTransition,
  type GateDraft,
} from './gates.ts';
export type { Invalidation } from './invalidations.ts';
export { type OwnerOf, ownerByText } from './owner.ts';
export { type Projected, projectAcceptance, type ToProject } from './project.ts';
export type { CoordinatorErrorType, CoordinatorRefusal } from './refusal.ts';
export { resyncRepoRuns } from './resync.ts';
export type * from './state.ts';
export { type CoordinatorStep, nextCoordinatorStep } from './step.ts';
