/**
 * Public entry `parley-hub/governed`: governed runs on disk. A run is a session; its files are projections of the log.
 * `engine/` (pure) decides, `session/` folds envelopes, `runner/` performs one operation under the project's lock,
 * `loop/` drives a run through `drivers/`, `coordinator/` combines repositories, `serving/` keeps the log in a hub.
 * Importing this file loads no hub, store or schemas: keep heavy parts behind dynamic imports.
 * Start reading at `runner/runner.ts`, then `runner/run-operation.ts`.
 */

export { writeFileAtomic } from '../system/atomic-file.ts';
export { type Coordinator, openCoordinator } from './coordinator/coordinator.ts';
export { createRepoRuns, type RepoPlace, type RepoRuns } from './coordinator/repo-runs.ts';
export type { CoordinatorFailure, CoordinatorPorts } from './coordinator/session.ts';
export * from './deprecated.ts';
export { type BundleSealed, type SealOptions, sealDispatchBundle } from './dispatch/bundle.ts';
export {
  checkSeal,
  finaliseManifest,
  inspectManifest,
  type ManifestInspection,
  type SealPolicy,
  type SealResult,
  type Verified,
  type VerifyInput,
  verifyManifest,
} from './dispatch/manifest.ts';
export { type CleanUpResult, cleanUpTurn, writeDispatchIndex, writeRuntimeFile } from './dispatch/turn-files.ts';
export type { DispatchBundle, DriverWaitResult, RuntimeDriver } from './drivers/attempt/driver.ts';
export type { AdapterErrorClass, DriverFailure } from './drivers/attempt/failure.ts';
export type { AdapterCreated, CreateAdapterOptions } from './drivers/create-driver.ts';
export { createRuntimeDriver, runTurnWithDriver } from './drivers/lazy.ts';
export type { DriverOutcome, RunAdapterOptions } from './drivers/run-driver.ts';
export type {
  BundleIdentity,
  DispatchManifest,
  ManifestFault,
  ManifestFaultType,
  ManifestFile,
} from './engine/dispatch/manifest.ts';
export { bundleFolder, evidencePath, runtimeFolder, stagingFolder } from './engine/dispatch/paths.ts';
export { validateHooks } from './engine/hooks/check.ts';
export { decideHook, type HookDecision, type HookEnd, type TamperCode } from './engine/hooks/decide.ts';
export type * from './engine/hooks/hook.ts';
// The functions are under `engine`, because some share names with runner operations.
export type * from './engine/index.ts';
export * as engine from './engine/index.ts';
export {
  getActiveTurn,
  getActiveTurnCount,
  getActiveTurns,
  getMaxConcurrentTurns,
  getTurnStagingResultPath,
} from './engine/index.ts';
export { projectFiles } from './files/read-text.ts';
export { type FileFailure, type PathFault, validatePaths } from './files/safe-path.ts';
export type { HookOptions } from './hooks/phase-record.ts';
export { type HooksRun, runHooks } from './hooks/run-hooks.ts';
export { nextRole } from './loop/choose.ts';
export {
  type AdapterDispatchOptions,
  type DispatchAnswer,
  dispatchAnswer,
  dispatchByDriver,
} from './loop/driver-dispatch.ts';
export type { RunLoop } from './loop/run-loop.ts';
export type * from './loop/types.ts';
export type * from './runner/contract/types.ts';
export { RUNNER_STEPS, type RunnerPorts, type RunnerStep } from './runner/log/runner-context.ts';
export { createRunner, RUNNER_INTERFACE_VERSION } from './runner/runner.ts';
export type { ServedRun, ServeRunOptions } from './serving/serve-run.ts';
export {
  readStagedResult,
  type StagedResult,
  type StagedWaitResult,
  stageResult,
  type WaitOptions,
  waitForStagedResult,
} from './staging/staged-result.ts';
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
  runLoop,
  serveRun,
  transitionActiveTurnLifecycle,
  withdrawRun,
  writeDispatchBundle,
} from './this-machine.ts';
