/** The coordinator of several repos: pure functions, as the rest of the engine. */

export {
  approveGate,
  type CoordinatorChange,
  type GateApproval,
  type GateAsked,
  needsPerson,
  requestGate,
  withdrawGate,
} from './approve.ts';
export { type BarrierEffect, isWorkDone, openRepos, recomputeBarriers } from './barriers.ts';
export { beginSuperRun, type SuperRunBeginning, type SuperRunBegun } from './begin.ts';
export { blockByProjection, blockSuperRun, resolveSuperRun, type SuperRunResolution } from './block.ts';
export type { BlockerCode, CoordinatorBlocker } from './blockers.ts';
export { type CheckedCoordinator, checkCoordinatorConfig } from './config/check.ts';
export type * from './config/config.ts';
export { BARRIER_TYPES, coordinatorPhases } from './config/config.ts';
export type { CoordinatorFault, CoordinatorFaultCode } from './config/fault.ts';
export { type CoordinatorContext, contextOf, contextText } from './context.ts';
export { type Dispatch, type Dispatched, dispatchEntry, nextDispatch } from './dispatch.ts';
export type * from './entries.ts';
export {
  type CoordinatorVerdict,
  type CoordinatorView,
  evaluateCompletionGate,
  evaluatePhaseGate,
  type GateDraft,
} from './gates.ts';
export type { Invalidation } from './invalidations.ts';
export { type OwnerOf, ownerByText } from './owner.ts';
export { type Projected, projectAcceptance, type ToProject } from './project.ts';
export type { CoordinatorErrorType, CoordinatorRefusal } from './refusal.ts';
export { resyncRepoRuns } from './resync.ts';
export type * from './state.ts';
export { BARRIER_STATUSES, SUPER_RUN_STATUSES } from './state.ts';
export { type CoordinatorStep, nextStep } from './step.ts';
