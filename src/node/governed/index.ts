/** Governed runs on a disk: the runner interface, and what reads, writes and runs for it. The engine itself is `engine`. */

export { bundleFolder, evidencePath, runtimeFolder, stagingFolder } from '../../governed/dispatch/places.ts';
export { hooksFaults } from '../../governed/hooks/check.ts';
export { decideHook, type HookDecision, type HookEnd } from '../../governed/hooks/decide.ts';
export type * from '../../governed/hooks/hook.ts';
export type { TamperCode } from '../../governed/hooks/tamper.ts';
// Its types by their names; its functions under `engine`, since some are called as operations of the runner are.
export type * from '../../governed/index.ts';
export * as engine from '../../governed/index.ts';
export {
  getActiveTurn,
  getActiveTurnCount,
  getActiveTurns,
  getMaxConcurrentTurns,
  getTurnStagingResultPath,
} from '../../governed/index.ts';
export type { ManifestFault, ManifestFaultType } from '../../governed/manifest/compare.ts';
export type { BundleIdentity, DispatchManifest, ManifestFile } from '../../governed/manifest/manifest.ts';
export type { Adapter, AdapterWaited, DispatchBundle } from './adapters/adapter.ts';
export type { AdapterCreated, CreateAdapterOptions } from './adapters/create-adapter.ts';
export type { AdapterErrorClass, AdapterFailure } from './adapters/failure.ts';
export { type DispatchAnswer, dispatchAnswer } from './adapters/loop-answer.ts';
export type { AdapterOutcome, RunAdapterOptions } from './adapters/run-adapter.ts';
export { createAdapter, runAdapter } from './adapters/when-needed.ts';
export { type PathFault, pathFaults } from './claimed-paths.ts';
export { type Coordinator, openCoordinator } from './coordinator/coordinator.ts';
export type { RepoPlace, RepoRuns } from './coordinator/repo-runs.ts';
export { runsByRunner } from './coordinator/runs-by-runner.ts';
export type { CoordinatorFailure, CoordinatorPorts } from './coordinator/session.ts';
export { type CleanedUp, cleanUpTurn } from './dispatch/clean-up.ts';
export { writeDispatchIndex } from './dispatch/index-file.ts';
export { writeRuntimeFile } from './dispatch/runtime-file.ts';
export { type BundleSealed, type SealOptions, sealDispatchBundle } from './dispatch/seal.ts';
export { type HookOptions, type HooksRun, runHooks } from './hooks/run-hooks.ts';
export { type AdapterDispatchOptions, dispatchByAdapter } from './loop/adapter-dispatch.ts';
export { nextRole } from './loop/next-role.ts';
export type { RunLoop } from './loop/run-loop.ts';
export { runLoop } from './loop/this-machine.ts';
export type * from './loop/types.ts';
export { finaliseManifest, type Sealed } from './manifest/finalise.ts';
export { type Inspected, inspectManifest } from './manifest/inspect.ts';
export { mayGoOut, type SealPolicy } from './manifest/policy.ts';
export { type ToVerify, type Verified, verifyManifest } from './manifest/verify.ts';
export { filesOf } from './read-text.ts';
export type { NotDone } from './refusal.ts';
export { RUNNER_STEPS, type RunnerPorts, type RunnerStep } from './runner/ports.ts';
export { createRunner, RUNNER_INTERFACE_VERSION } from './runner/runner.ts';
export {
  abandonRun,
  acceptTurn,
  acquireLock,
  approveCompletionGate,
  approvePhaseGate,
  assignTurn,
  emitNotifications,
  escalate,
  initRun,
  loadContext,
  loadState,
  markRunBlocked,
  reactivateRun,
  refreshTurnBaselineSnapshot,
  reissueTurn,
  rejectTurn,
  releaseLock,
  transitionActiveTurnLifecycle,
  writeDispatchBundle,
} from './runner/this-machine.ts';
export type * from './runner/types.ts';
export { type ServedRun, type ServeRunOptions, serveRun } from './serving/serve-run.ts';
export { takeBackRun } from './serving/take-back.ts';
export { readStagedResult, type Staged } from './staging/read.ts';
export { stageResult } from './staging/stage.ts';
export { type Waited, type WaitOptions, waitForStagedResult } from './staging/wait.ts';
export { writeWhole } from './whole-file.ts';
