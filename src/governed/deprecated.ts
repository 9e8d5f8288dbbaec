/** Re-exports former names, which stay importable until 1.0. */

export {
  /** @deprecated Use `writeFileAtomic`. */
  writeFileAtomic as writeWhole,
} from '../system/atomic-file.ts';
export {
  /** @deprecated Use `createRepoRuns`. */
  createRepoRuns as runsByRunner,
} from './coordinator/repo-runs.ts';
export {
  /** @deprecated Use `checkSeal`. */
  checkSeal as mayGoOut,
  /** @deprecated Use `ManifestInspection`. */
  type ManifestInspection as Inspected,
  /** @deprecated Use `SealResult`. */
  type SealResult as Sealed,
  /** @deprecated Use `VerifyInput`. */
  type VerifyInput as ToVerify,
} from './dispatch/manifest.ts';
export type {
  /** @deprecated Use `CleanUpResult`. */
  CleanUpResult as CleanedUp,
} from './dispatch/turn-files.ts';
export type {
  /** @deprecated Use `DriverWaitResult`. */
  DriverWaitResult as AdapterWaited,
  /** @deprecated Use `RuntimeDriver`. */
  RuntimeDriver as Adapter,
} from './drivers/attempt/driver.ts';
export type {
  /** @deprecated Use `DriverFailure`. */
  DriverFailure as AdapterFailure,
} from './drivers/attempt/failure.ts';
export {
  /** @deprecated Use `createRuntimeDriver`. */
  createRuntimeDriver as createAdapter,
  /** @deprecated Use `runTurnWithDriver`. */
  runTurnWithDriver as runAdapter,
} from './drivers/lazy.ts';
export type {
  /** @deprecated Use `DriverOutcome`. */
  DriverOutcome as AdapterOutcome,
} from './drivers/run-driver.ts';
export {
  /** @deprecated Use `validateHooks`. */
  validateHooks as hooksFaults,
} from './engine/hooks/check.ts';
export {
  /** @deprecated Use `projectFiles`. */
  projectFiles as filesOf,
} from './files/read-text.ts';
export {
  /** @deprecated Use `FileFailure`. */
  type FileFailure as NotDone,
  /** @deprecated Use `validatePaths`. */
  validatePaths as pathFaults,
} from './files/safe-path.ts';
export {
  /** @deprecated Use `dispatchByDriver`. */
  dispatchByDriver as dispatchByAdapter,
} from './loop/driver-dispatch.ts';
export type {
  /** @deprecated Use `StagedResult`. */
  StagedResult as Staged,
  /** @deprecated Use `StagedWaitResult`. */
  StagedWaitResult as Waited,
} from './staging/staged-result.ts';
export {
  /** @deprecated Use `withdrawRun`. */
  withdrawRun as takeBackRun,
} from './this-machine.ts';
