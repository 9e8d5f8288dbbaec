/** Exports the pure functions of the coordinator of several repos. */

export type { CoordinatorFault, CoordinatorFaultCode } from '../lib/findings.ts';
export {
  approveCoordinatorGate,
  type GateApproval,
  type GateRequest,
  requestCoordinatorGate,
  withdrawCoordinatorGate,
} from './approve.ts';
export type { BarrierEffect } from './barriers.ts';
export type { CoordinatorChange, CoordinatorErrorType, CoordinatorRefusal } from './change.ts';
export { type CheckedCoordinator, checkCoordinatorConfig } from './check-config.ts';
export type * from './config.ts';
export { BARRIER_TYPES, coordinatorPhases } from './config.ts';
export {
  type CoordinatorContext,
  coordinatorContext,
  coordinatorContextText,
  type Dispatch,
  type Dispatched,
  dispatchEntry,
} from './dispatch.ts';
export {
  type BlockerCode,
  type CoordinatorBlocker,
  type CoordinatorVerdict,
  type CoordinatorView,
  evaluateCoordinatorCompletion,
  evaluateCoordinatorTransition,
  type GateDraft,
} from './gates.ts';
export {
  type Invalidation,
  type OwnerOf,
  ownerByPath,
  type Projected,
  type ProjectInput,
  projectAcceptance,
} from './projection.ts';
export type * from './state.ts';
export { type CoordinatorStep, nextCoordinatorStep } from './step.ts';
export {
  beginSuperRun,
  blockByProjection,
  blockSuperRun,
  resolveSuperRun,
  resyncRepoRuns,
  type SuperRunBeginning,
  type SuperRunBegun,
  type SuperRunResolution,
} from './super-run.ts';
