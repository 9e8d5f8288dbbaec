/** Governed runs on a disk: the runner interface, and what reads, writes and runs for it. The engine itself is `engine`. */

export { bundleFolder, evidencePath, runtimeFolder, stagingFolder } from '../../governed/engine/dispatch/paths.ts';
export { hooksFaults } from '../../governed/engine/hooks/check.ts';
export { decideHook, type HookDecision, type HookEnd } from '../../governed/engine/hooks/decide.ts';
export type * from '../../governed/engine/hooks/hook.ts';
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
export type { ManifestFault, ManifestFaultType } from '../../governed/engine/dispatch/manifest.ts';
export type { BundleIdentity, DispatchManifest, ManifestFile } from '../../governed/manifest/manifest.ts';
export type { Adapter, AdapterWaited, DispatchBundle } from '../../governed/drivers/attempt/driver.ts';
export type { AdapterCreated, CreateAdapterOptions } from '../../governed/drivers/create-driver.ts';
export type { AdapterErrorClass, AdapterFailure } from '../../governed/drivers/attempt/failure.ts';
export { type DispatchAnswer, dispatchAnswer } from './adapters/loop-answer.ts';
export type { AdapterOutcome, RunAdapterOptions } from '../../governed/drivers/run-driver.ts';
export { createAdapter, runAdapter } from './adapters/when-needed.ts';
export { type PathFault, pathFaults } from './claimed-paths.ts';
export { type Coordinator, openCoordinator } from '../../governed/coordinator/coordinator.ts';
export type { RepoPlace, RepoRuns } from './coordinator/repo-runs.ts';
export { runsByRunner } from '../../governed/coordinator/repo-runs.ts';
export type { CoordinatorFailure, CoordinatorPorts } from '../../governed/coordinator/session.ts';
export { type CleanedUp, cleanUpTurn } from '../../governed/dispatch/turn-files.ts';
export { writeDispatchIndex } from './dispatch/index-file.ts';
export { writeRuntimeFile } from './dispatch/runtime-file.ts';
export { type BundleSealed, type SealOptions, sealDispatchBundle } from './dispatch/seal.ts';
export { type HookOptions, type HooksRun, runHooks } from '../../governed/hooks/run-hooks.ts';
export { type AdapterDispatchOptions, dispatchByAdapter } from '../../governed/loop/driver-dispatch.ts';
export { nextRole } from './loop/next-role.ts';
export type { RunLoop } from './loop/run-loop.ts';
export { runLoop } from './loop/this-machine.ts';
export type * from '../../governed/loop/types.ts';
export { finaliseManifest, type Sealed } from './manifest/finalise.ts';
export { type Inspected, inspectManifest } from './manifest/inspect.ts';
export { mayGoOut, type SealPolicy } from './manifest/policy.ts';
export { type ToVerify, type Verified, verifyManifest } from './manifest/verify.ts';
export { filesOf } from '../../governed/files/read-text.ts';
export type { NotDone } from './refusal.ts';
export { RUNNER_STEPS, type RunnerPorts, type RunnerStep } from '../../governed/runner/log/runner-context.ts';
export { createRunner, RUNNER_INTERFACE_VERSION } from '../../governed/runner/runner.ts';
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
} from '../../governed/this-machine.ts';
export type * from '../../governed/runner/contract/types.ts';
export type { ServedRun, ServeRunOptions } from '../../governed/serving/serve-run.ts';
export { serveRun, takeBackRun } from './serving/this-machine.ts';
export { readStagedResult, type Staged } from '../../governed/staging/staged-result.ts';
export { stageResult } from './staging/stage.ts';
export { type Waited, type WaitOptions, waitForStagedResult } from './staging/wait.ts';
export { writeWhole } from './whole-file.ts';
